export { embedder, type EmbedCall, type Embedder, type EmbedderOptions, type EmbedProgress, type Embeddings } from "./embed.ts";
export { cosineSimilarity, dot, topK, type Match, type TopKOptions, type Vector } from "./similarity.ts";
