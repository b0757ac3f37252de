/** Tells over IPC what this process has used so far. */
export function meter(port) {
  process.on("message", () => {
    const { user, system } = process.cpuUsage();
    process.send({ cpuUs: user + system, rss: process.memoryUsage().rss });
  });
  process.on("disconnect", () => process.exit());
  process.send({ port });
}
