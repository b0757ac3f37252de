import type { AntiphonError } from "../core/error.ts";

const gone = /expired|not found|does not exist|no longer|invalid|expected an id/i;

/** Whether an error says that a container is not there any more, or never was there. Servers have no code for it. */
export const isContainerGone = ({ code, message, param }: AntiphonError): boolean =>
  (code === "BAD_REQUEST" || code === "NOT_FOUND") &&
  (/container/i.test(message) || /container/i.test(param ?? "")) &&
  gone.test(message);
