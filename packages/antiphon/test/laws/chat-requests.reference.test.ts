import { describe, expect, test } from "vitest";
import { chatCodec, chatServer } from "../../src/codecs/chat/index.ts";
import { AntiphonError } from "../../src/core/error.ts";
import { isObject, type JsonObject } from "../../src/model/guards.ts";
import { firstDifference } from "../../src/testing/difference.ts";
import { canonical } from "../codecs/chat/canonical.ts";
import { dialectOf } from "../codecs/chat/vendors.ts";
import { testCtx } from "../support/ctx.ts";
import { recordings, type Recording } from "../support/recordings.ts";
import { changed } from "./changed-chat-requests.ts";
import { refused } from "./chat-exceptions.ts";

const asked = recordings("openai-chat", "chat-compatible-").flatMap((recording) => {
  const body = recording.request();
  return isObject(body) && "messages" in body ? [{ recording, body }] : [];
});

/** The first difference between a recorded request and what we ask the same vendor after our server has read it, but for declared losses. */
function changeOf({ provider }: Recording, body: JsonObject): string | undefined {
  const request = chatServer().decodeRequest(structuredClone(body));
  const { body: again, losses } = chatCodec(dialectOf(provider)).encodeRequest(testCtx(request));
  const lost = new Set(losses.map(({ path }) => path.replace(/[[.].*$/, "")));
  return firstDifference(canonical(JSON.parse(JSON.stringify(again)) as JsonObject), canonical(body), lost);
}

describe(`${asked.length} recorded requests`, () => {
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
      const path = changeOf(recording, body);
      return path ? [[recording.id, path]] : [];
    });
    expect(Object.fromEntries(differences)).toEqual(changed);
  });
});
