// Semantic search: finds the passages that are most similar to a question. (The offline model compares only words.)
import { embedder, topK } from "antiphon/embeddings";

const passages = [
  "The ferry to Bergen leaves at noon from the eastern pier.",
  "Bread needs flour, water, salt and time.",
  "Whales sing to each other over hundreds of miles.",
  "The pier was rebuilt after the storm of 1987.",
];

const embed = embedder("offline");
const { vectors } = await embed.documents(passages);

for (const question of ["When does the ferry leave?", "What do I need for bread?"]) {
  const { vector } = await embed.query(question);
  console.log(question);
  for (const { index, score } of topK(vector, vectors, 2)) console.log(`  ${score.toFixed(2)}  ${passages[index]}`);
}

// Prints:
//   When does the ferry leave?
//     0.31  The ferry to Bergen leaves at noon from the eastern pier.
//     0.02  Whales sing to each other over hundreds of miles.
//   What do I need for bread?
//     0.35  Bread needs flour, water, salt and time.
//     0.02  The pier was rebuilt after the storm of 1987.
