export { extensionOf, mimeByName, sniffMime } from "../core/mime.ts";
export { generateMedia, streamMedia, type Media, type MediaRequest, type MediaStream, type Preview } from "./generate-media.ts";
export { audio, file, image, video, type MediaOptions, type MediaSource } from "./input-media.ts";
