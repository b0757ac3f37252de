import { afterEach, beforeEach } from "vitest";
import type { StoreLimits } from "../../../src/store/limits.ts";
import { Puppet } from "./puppet.ts";
import { Rig, type RigOptions } from "./rig.ts";
import type { Data, MakeData } from "./stores.ts";

/** What a test plays on: data of its own, a model that does as it is told, and gateways that are closed when it is over. */
export interface Stage {
  readonly data: Data;
  readonly puppet: Puppet;
  /** In the order in which they were started. */
  readonly rigs: readonly Rig[];
  /** Starts one more gateway on the data. */
  start(options?: Partial<RigOptions>, limits?: Partial<StoreLimits>): Promise<Rig>;
}

/** A stage that is new for every test of the describing block. */
export function stageOn(make: MakeData): Stage {
  let data: Data;
  let puppet: Puppet;
  const rigs: Rig[] = [];
  beforeEach(async () => {
    data = await make();
    puppet = new Puppet();
  });
  afterEach(async () => {
    await Promise.all(rigs.splice(0).map((rig) => rig.close()));
    await data.close();
  });
  return {
    get data() {
      return data;
    },
    get puppet() {
      return puppet;
    },
    rigs,
    start: async (options = {}, limits) => {
      const rig = new Rig({ store: await data.open(limits), respond: puppet.respond, ...options });
      rigs.push(rig);
      return rig;
    },
  };
}
