import { own } from "../../model/guards.ts";

const formats: Readonly<Record<string, string>> = {
  "audio/mpeg": "mp3",
  "audio/wave": "wav",
  "audio/x-wav": "wav",
  "audio/vnd.wave": "wav",
  "audio/mp4": "m4a",
};

/** The wire's word for a kind of sound. */
export const audioFormat = (mediaType: string): string => own(formats, mediaType) ?? mediaType.replace("audio/", "");
