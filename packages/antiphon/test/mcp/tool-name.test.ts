import fc from "fast-check";
import { expect, test } from "vitest";
import { toolName } from "../../src/mcp/tool-name.ts";

test("a name that wires take stays as it is", () => {
  expect([toolName("read_file"), toolName("read", "disk")]).toEqual(["read_file", "disk_read"]);
});

test("any other becomes one that wires take, and two stay two", () => {
  expect(toolName("files/read", "disk")).toBe("disk_files_read_1ae98x5");
  fc.assert(
    fc.property(fc.string({ maxLength: 200 }), fc.string({ maxLength: 200 }), (a, b) => {
      for (const name of [a, b]) if (name) expect(toolName(name)).toMatch(/^[a-zA-Z0-9_-]{1,64}$/);
      if (a !== b) expect(toolName(a)).not.toBe(toolName(b));
    }),
  );
});

test("two long names that begin alike stay two", () => {
  const long = "a".repeat(100);
  expect(toolName(`${long}b`)).not.toBe(toolName(`${long}c`));
});
