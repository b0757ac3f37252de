import type { Handler, Routes } from "./exchange.ts";

interface Node {
  fixed: Map<string, Node>;
  open?: { name: string; node: Node };
  handlers: Map<string, Found>;
}

/** The handler of a route. */
interface Found {
  handler: Handler;
  /** The pattern, for those who count. */
  route: string;
  params: Readonly<Record<string, string>>;
}

const emptyNode = (): Node => ({ fixed: new Map(), handlers: new Map() });

/** Finds the handler of a path: by its segments, so that the number of routes costs nothing. */
export class Router {
  readonly #root = emptyNode();
  /** The handlers of paths without parameters, which most requests go to: by method and path, as they are written in a route. */
  readonly #exact = new Map<string, Map<string, Found>>();

  constructor(routes: Routes) {
    for (const [route, handler] of Object.entries(routes)) {
      const [method = "", pattern = ""] = route.split(" ");
      const found = { handler, route: pattern, params: {} };
      this.#reach(pattern).handlers.set(method, found);
      if (pattern.includes(":")) continue;
      const paths = this.#exact.get(method) ?? new Map<string, Found>();
      this.#exact.set(method, paths.set(pattern, found));
    }
  }

  /** The handler and its parameters, for `HEAD` those of `GET`; the methods that there are where the method is wrong; nothing where the path is unknown. */
  find(method: string, path: string): Found | { allow: string[] } | undefined {
    return this.#exact.get(method)?.get(path) ?? this.#walk(method, path);
  }

  #walk(method: string, path: string): Found | { allow: string[] } | undefined {
    const params: Record<string, string> = {};
    let node: Node | undefined = this.#root;
    for (const segment of segmentsOf(path)) {
      const next: Node | undefined = node.fixed.get(segment);
      if (!next && node.open) params[node.open.name] = decode(segment);
      node = next ?? node.open?.node;
      if (!node) return undefined;
    }
    const { handlers } = node;
    const found = handlers.get(method) ?? (method === "HEAD" ? handlers.get("GET") : undefined);
    if (found) return { ...found, params };
    return handlers.size > 0 ? { allow: [...handlers.keys(), ...(handlers.has("GET") ? ["HEAD"] : [])] } : undefined;
  }

  #reach(pattern: string): Node {
    let node = this.#root;
    for (const segment of segmentsOf(pattern)) {
      if (segment.startsWith(":")) node = (node.open ??= { name: segment.slice(1), node: emptyNode() }).node;
      else {
        const next: Node = node.fixed.get(segment) ?? emptyNode();
        node.fixed.set(segment, next);
        node = next;
      }
    }
    return node;
  }
}

const segmentsOf = (path: string): string[] => path.split("/").filter(Boolean);

function decode(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment;
  }
}
