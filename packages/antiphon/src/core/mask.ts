/** What else is secret, beside what every provider's keys look like. */
export interface MaskOptions {
  /** Whatever these match, anywhere. */
  patterns?: readonly RegExp[];
  /** Headers, query parameters and JSON fields of these names. */
  names?: readonly string[];
}

/** What stands where a secret stood. */
const masked = "***";

const secretName =
  /authorization|cookie|secret|passw(?:or)?d|credential|api[-_]?key|(?:access|refresh|auth|session|security|bearer|id)[-_]?token/i;
const secretHeader = /(?:^|[-_])(?:token|key|signature)$/i;
const secretParameter = /^(?:key|token|sig|signature|auth)$|[-_](?:signature|token)$/i;

// Where a word begins: not inside a longer blob, but also after the escapes of JSON, which end in a letter.
const edge = "(?:(?<![\\w-])|(?<=\\\\(?:[bfnrt]|u[0-9a-fA-F]{4})))";
const prefixes =
  "sk_live_|sk_test_|rk_live_|pk-lf-|csk-|gsk_|xai-|hf_|r8_|fw_|pplx-|nvapi-|tgp_v1_|tvly-|jina_|" +
  "gh[opsur]_|github_pat_|glpat-|xox[abeprs]-|ya29\\.|AIza|AQ\\.";
const looks: readonly RegExp[] = [
  new RegExp(`${edge}sk-[\\w-]{8,}`, "g"),
  new RegExp(`${edge}ak-[\\w-]{40,}`, "g"),
  new RegExp(`${edge}(?:${prefixes})[\\w-]{12,}`, "g"),
  new RegExp(`${edge}(?:AKIA|ASIA)[0-9A-Z]{16}(?!\\w)`, "g"),
  new RegExp(`${edge}eyJ[\\w-]{6,}\\.[\\w-]{6,}\\.[\\w-]*`, "g"),
  new RegExp(`(?<=${edge}Bearer\\s+)(?:(?=\\S*\\d)[\\w.~+/=-]{8,}|[\\w.~+/=-]{20,})`, "gi"),
  new RegExp(`(?<=${edge}Basic\\s+)[A-Za-z0-9+/]{12,}=*`, "gi"),
  /-----BEGIN [A-Z ]*PRIVATE KEY-----[^]*?(?:-----END [A-Z ]*PRIVATE KEY-----|$)/g,
];

// A JSON field that holds a string, whole or cut off; and the same inside a string of JSON, where quotation marks are escaped.
const fields: readonly RegExp[] = [
  /(")([\w-]{1,64})("\s*:\s*")(?:[^"\\]|\\.)+/g,
  /((\\+)")([\w-]{1,64})(\2"\s*:\s*\2")(?:(?!\2")[^])+/g,
];
const parameters = /([?&;]|\\u0026)([\w-]{1,64})=[^&#\s"'\\<>]+/g;

/** Finds secrets by their names, by their looks, and by having met them before. */
export class Mask {
  readonly #patterns: readonly RegExp[];
  readonly #names: ReadonlySet<string>;
  readonly #known = new Set<string>();

  constructor({ patterns = [], names = [] }: MaskOptions) {
    this.#patterns = [...looks, ...patterns.map(everywhere)];
    this.#names = new Set(names.map((name) => name.toLowerCase()));
  }

  /** Remembers the values of secret headers and parameters: servers like to repeat a key that they refuse. */
  learnFrom(headers: Record<string, string>, url: string): void {
    const told = Object.entries(headers).filter(([name]) => this.#isSecretHeader(name));
    const asked = [...parametersOf(url)].filter(([name]) => this.#isSecretParameter(name));
    const values = [...told, ...asked].map(([, value]) => value);
    for (const secret of values.flatMap((value) => [value, value.slice(value.indexOf(" ") + 1)]))
      if (isTelling(secret)) this.#known.add(secret);
  }

  headers(headers: Record<string, string>): Record<string, string> {
    return Object.fromEntries(
      Object.entries(headers).map(([name, value]) => [name, this.#isSecretHeader(name) ? masked : this.text(value)]),
    );
  }

  url(url: string): string {
    return this.text(url.replace(/^([a-z][\w+.-]*:\/\/)[^/?#@]*@/i, `$1${masked}@`));
  }

  bodyOf({ body, encoding }: { body?: string; encoding?: string }): { body?: string } {
    return body === undefined || encoding !== undefined ? {} : { body: this.text(body) };
  }

  text(text: string): string {
    const [plain, nested] = fields;
    let said = text
      .replace(plain!, (whole, before: string, name: string, between: string) => this.#field(whole, before, name, between))
      .replace(nested!, (whole, before: string, _, name: string, between: string) => this.#field(whole, before, name, between))
      .replace(parameters, (whole, before: string, name: string) =>
        this.#isSecretParameter(name) ? `${before}${name}=${masked}` : whole,
      );
    for (const pattern of this.#patterns) said = said.replace(pattern, masked);
    // Longest first: one secret may begin with another.
    for (const secret of [...this.#known].toSorted((a, b) => b.length - a.length)) said = said.replaceAll(secret, masked);
    return said;
  }

  #field(whole: string, before: string, name: string, between: string): string {
    return this.#isSecretName(name) ? `${before}${name}${between}${masked}` : whole;
  }
  #isSecretName(name: string): boolean {
    return secretName.test(name) || this.#names.has(name.toLowerCase());
  }
  #isSecretHeader(name: string): boolean {
    return secretHeader.test(name) || this.#isSecretName(name);
  }
  #isSecretParameter(name: string): boolean {
    return secretParameter.test(name) || this.#isSecretName(name);
  }
}

// Local servers take words like `ollama` for a key; replacing those everywhere would garble the rest.
const isTelling = (secret: string): boolean => secret.length >= 20 || (secret.length >= 8 && /\d/.test(secret));

const everywhere = (pattern: RegExp): RegExp => (pattern.global ? pattern : new RegExp(pattern.source, `${pattern.flags}g`));

const parametersOf = (url: string): URLSearchParams => new URLSearchParams(/\?([^#]*)/.exec(url)?.[1] ?? "");

const usual = new Mask({});

/**
 * Removes values that are named like a secret or look like a key from a text.
 *
 * @example
 * console.error(maskSecrets(String(error)));
 */
export const maskSecrets = (text: string): string => usual.text(text);
