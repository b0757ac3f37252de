import { afterEach } from "vitest";
import type { StoreLimits } from "../../../src/store/limits.ts";
import type { Store } from "../../../src/store/store.ts";
import type { CreateSubject, Subject } from "./subject.ts";

/** Gives each test stores of its own, which are closed when it ends. */
export function withSubject(create: CreateSubject): (limits?: Partial<StoreLimits>) => Promise<Subject> {
  const open: Subject[] = [];
  afterEach(async () => {
    for (const subject of open.splice(0)) await subject.close();
  });
  return async (limits) => {
    const subject = await create(limits);
    open.push(subject);
    return subject;
  };
}

/** The same, for tests that need no more than the store. */
export function withStore(create: CreateSubject): (limits?: Partial<StoreLimits>) => Promise<Store> {
  const use = withSubject(create);
  return async (limits) => (await use(limits)).store;
}
