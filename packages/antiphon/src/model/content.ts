/** Plain text from a user, a system prompt or a tool. */
export interface InputText {
  type: "input_text";
  text: string;
}

/** How closely a vision model should look at an image. */
export type ImageDetail = "low" | "high" | "auto" | "original";

/** An image by URL, data URL or uploaded file id. */
export interface InputImage {
  type: "input_image";
  image_url?: string | null;
  file_id?: string | null;
  detail?: ImageDetail;
}

/** A document by bytes (a data URL), URL or uploaded file id. */
export interface InputFile {
  type: "input_file";
  filename?: string;
  file_data?: string;
  file_url?: string;
  file_id?: string | null;
}

/** A video by URL; the specification allows it in tool results only. */
export interface InputVideo {
  type: "input_video";
  video_url: string;
}

/** Sound as base64; not of the specification, taken by wires that hear. */
export interface InputAudio {
  type: "input_audio";
  input_audio: { data: string; format: string };
}

/** Anything that may stand in a user message or a tool result. */
export type InputContent = InputText | InputImage | InputFile | InputVideo | InputAudio;

/** A web page that backs a span of the text. */
export interface UrlCitation {
  type: "url_citation";
  url: string;
  title: string;
  start_index: number;
  end_index: number;
}

/** An uploaded file that backs the text at an index. */
export interface FileCitation {
  type: "file_citation";
  file_id: string;
  filename?: string;
  index: number;
}

/** A file that the code interpreter left in its container. */
export interface ContainerFileCitation {
  type: "container_file_citation";
  container_id: string;
  file_id: string;
  filename: string;
  start_index: number;
  end_index: number;
}

/** A path to a generated file. */
export interface FilePath {
  type: "file_path";
  file_id: string;
  index: number;
}

/** What a span of output text refers to. */
export type Annotation = UrlCitation | FileCitation | ContainerFileCitation | FilePath;

/** One alternative token with its log probability. */
export interface TopLogProb {
  token: string;
  logprob: number;
  bytes?: number[];
}

/** A sampled token with its log probability and the runners-up. */
export interface LogProb extends TopLogProb {
  top_logprobs?: TopLogProb[];
}

/** Text that the model wrote for the user. */
export interface OutputText {
  type: "output_text";
  text: string;
  annotations: Annotation[];
  logprobs?: LogProb[];
}

/** The model's words for declining. */
export interface Refusal {
  type: "refusal";
  refusal: string;
}

/** A paragraph of a reasoning summary. */
export interface SummaryText {
  type: "summary_text";
  text: string;
}

/** Raw chain of thought. */
export interface ReasoningText {
  type: "reasoning_text";
  text: string;
}

/** Text of no particular side, as some servers write it. */
export interface PlainText {
  type: "text";
  text: string;
}

/** Anything that may stand in a message, whoever wrote it. */
export type MessageContent = InputContent | OutputText | Refusal | SummaryText | ReasoningText | PlainText;

/** Anything that a `response.content_part.*` event may open or close. */
export type ContentPart = OutputText | Refusal | ReasoningText | SummaryText | InputContent | PlainText;
