import { describe, expect, test } from "vitest";
import { chatCodec, chatServer } from "../../src/codecs/chat/index.ts";
import { AntiphonError } from "../../src/core/error.ts";
import { isObject, type JsonObject } from "../../src/model/guards.ts";
import { firstDifference } from "../../src/testing/difference.ts";
import { canonical } from "../codecs/chat/canonical.ts";
import { dialectOf } from "../codecs/chat/vendors.ts";
import { testCtx } from "../support/ctx.ts";
import { haveRecordings, recordings, type Recording } from "../support/recordings.ts";
import { changed, refused } from "./chat-exceptions.ts";

const asked = recordings("openai-chat", "chat-compatible-").flatMap((recording) => {
  const body = recording.request();
  return isObject(body) && "messages" in body ? [{ recording, body }] : [];
});

/** What our server makes of a recorded request, and what we then ask the same vendor. */
function askAgain({ provider }: Recording, body: JsonObject): JsonObject {
  const request = chatServer().decodeRequest(structuredClone(body));
  const { body: again } = chatCodec(dialectOf(provider)).encodeRequest(testCtx(request));
  return JSON.parse(JSON.stringify(again)) as JsonObject;
}

describe.skipIf(!haveRecordings)(`${asked.length} recorded requests`, () => {
  test("are read, but for those that ask for what no server of ours can give", () => {
    const params = asked.flatMap(({ recording, body }) => {
      try {
        chatServer().decodeRequest(structuredClone(body));
        return [];
      } catch (error) {
        if (!(error instanceof AntiphonError) || error.code !== "BAD_REQUEST") throw error;
        return [[recording.id, error.param]];
      }
    });
    expect(Object.fromEntries(params)).toEqual(refused);
  });

  test("round trip: ask the vendor the same again", () => {
    const differences = asked.flatMap(({ recording, body }) => {
      if (Object.hasOwn(refused, recording.id)) return [];
      const path = firstDifference(canonical(askAgain(recording, body)), canonical(body));
      return path ? [[recording.id, path]] : [];
    });
    expect(Object.fromEntries(differences)).toEqual(
      Object.fromEntries(Object.entries(changed).map(([id, [path]]) => [id, path])),
    );
  });
});
