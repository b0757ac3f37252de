// East Asian wide and fullwidth, by block; the emoji that are wide by themselves are told by a property.
const wide =
  /^[\u1100-\u115F\u2329\u232A\u2E80-\u303E\u3041-\u4DBF\u4E00-\uA4CF\uA960-\uA97C\uAC00-\uD7A3\uF900-\uFAFF\uFE10-\uFE19\uFE30-\uFE6F\uFF01-\uFF60\uFFE0-\uFFE6\u{16FE0}-\u{18DFF}\u{1AFF0}-\u{1B2FF}\u{1F200}-\u{1F265}\u{20000}-\u{3FFFD}]|^\p{Emoji_Presentation}|^\p{Regional_Indicator}{2}/u;
const drawnAsEmoji = /^\p{Extended_Pictographic}\uFE0F/u;
const unseen = /^[\p{Mn}\p{Me}\p{Cf}\p{Cc}]/u;
const ascii = /^[ -~]*$/;
// Whatever may join with its neighbours to one sign; without it each code point is a sign of its own.
const joins = /[\p{M}\p{Cc}\p{Cf}\p{Regional_Indicator}\p{Emoji_Modifier}\u1100-\u11FF\uA960-\uA97F\uD7B0-\uD7FF]/u;

let segmenter: Intl.Segmenter | undefined;

/** The signs of a text as a reader counts them: a letter with its accents, a family of four, is one. */
export function graphemes(text: string): string[] {
  if (ascii.test(text) || !joins.test(text)) return Array.from(text);
  segmenter ??= new Intl.Segmenter(undefined, { granularity: "grapheme" });
  return Array.from(segmenter.segment(text), ({ segment }) => segment);
}

const graphemeWidth = (grapheme: string): number => {
  if (grapheme < "\u0300") return 1;
  if (unseen.test(grapheme)) return 0;
  return wide.test(grapheme) || drawnAsEmoji.test(grapheme) ? 2 : 1;
};

/** How many columns of a terminal a text takes. */
export function widthOf(text: string): number {
  if (ascii.test(text)) return text.length;
  let width = 0;
  for (const grapheme of graphemes(text)) width += graphemeWidth(grapheme);
  return width;
}

/** As much of a text as fits, with a mark where something is missing. */
export function clipped(text: string, width: number): string {
  if (widthOf(text) <= width) return text;
  let kept = "";
  let used = 1;
  for (const grapheme of graphemes(text)) {
    used += widthOf(grapheme);
    if (used > width) break;
    kept += grapheme;
  }
  return width > 0 ? `${kept}…` : "";
}
