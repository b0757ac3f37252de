/** A progress bar. */
export interface ProgressBar {
  update(done: number, total: number): void;
  end(): void;
}

const width = 30;
/** Milliseconds between two redraws. */
const pause = 80;

/** Draws a progress bar on stderr if it is a terminal. */
export function progressBar(
  label: string,
  stream: { isTTY?: boolean; write(text: string): unknown } = process.stderr,
): ProgressBar {
  if (!stream.isTTY) return { update() {}, end() {} };
  let drawn = 0;
  let isDrawn = false;
  return {
    update(done, total) {
      const now = performance.now();
      if (isDrawn && done < total && now - drawn < pause) return;
      drawn = now;
      isDrawn = true;
      const share = total === 0 ? 1 : done / total;
      const full = Math.round(share * width);
      stream.write(`\r\u001B[K${label} ${"█".repeat(full)}${"░".repeat(width - full)} ${done}/${total}`);
    },
    end() {
      if (isDrawn) stream.write("\r\u001B[K");
    },
  };
}

/** Shows a label and the elapsed seconds on stderr if it is a terminal. Returns a function that removes them. */
export function waiting(label: string, stream: { isTTY?: boolean; write(text: string): unknown } = process.stderr): () => void {
  if (!stream.isTTY) return () => {};
  const started = performance.now();
  const draw = (): void => void stream.write(`\r\u001B[K${label} ${Math.round((performance.now() - started) / 1000)} s`);
  const timer = setInterval(draw, 1000);
  draw();
  return () => {
    clearInterval(timer);
    stream.write("\r\u001B[K");
  };
}
