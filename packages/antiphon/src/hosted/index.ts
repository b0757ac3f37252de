export { applyDiff } from "./apply-diff.ts";
export {
  containerFiles,
  type ContainerFilesOptions,
  type Download,
  type DownloadedFile,
  type FileReference,
} from "./container-files.ts";
export { reuseContainers } from "./containers.ts";
export { deliverables, type DeliverableOptions, type Deliverables } from "./deliverables.ts";
export {
  applyPatchTool,
  computerTool,
  localShellTool,
  shellTool,
  type Approval,
  type ApplyPatchToolOptions,
  type CommandResult,
  type ComputerToolOptions,
  type LocalShellToolOptions,
  type ShellToolOptions,
} from "./executors.ts";
export {
  applyPatch,
  codeInterpreter,
  computer,
  fileSearch,
  hostedMcp,
  imageGeneration,
  includesFor,
  localShell,
  shell,
  webSearch,
  type CodeInterpreterOptions,
  type ComputerOptions,
  type FileFilter,
  type FileSearchOptions,
  type HostedMcpOptions,
  type ImageGenerationOptions,
  type McpApproval,
  type SearchLocation,
  type ShellOptions,
  type WebSearchOptions,
} from "./options.ts";
export { createProgress, keepMetadata, stripMetadata, type Progress, type ProgressOptions } from "./progress.ts";
export type { ResultFile } from "./result-file.ts";
export type { ToolEvent, ToolProgress } from "./tool-event.ts";
