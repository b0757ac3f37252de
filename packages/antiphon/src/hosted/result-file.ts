/** Something that the model made: a picture, or a file out of a container. */
export interface ResultFile {
  name: string;
  mimeType: string;
  /** The item, and for a container file the citation, that it came from. */
  source: { item_id: string; container_id?: string; file_id?: string };
  bytes(): Promise<Uint8Array>;
  stream(): ReadableStream<Uint8Array>;
  /** Writes it to a new file; only where there is a file system. */
  save(path: string): Promise<void>;
}
