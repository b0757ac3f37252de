/** What a check came to. */
export interface Finding {
  check: string;
  state: "good" | "unsure" | "wrong";
  says: string;
  /** What to do about it. */
  fix?: string;
  /** What is at fault, where something is wrong. */
  kind?: "config" | "network";
}
