import { existsSync } from "node:fs";
import { join } from "node:path";

/** Where the command may be. */
export interface Places {
  /** The setting `joblint.path`; may be empty. */
  setting: string;
  /** The folders of the workspace, for their virtual environments. */
  folders: string[];
  /** The folder of the extension, for a bundled binary. */
  extension: string;
  platform: NodeJS.Platform;
}

/** The command to start: of the setting, a virtual environment or the extension, else by its name on `PATH`. */
export function findBinary(places: Places, exists: (path: string) => boolean = existsSync): string {
  if (places.setting !== "") {
    return places.setting;
  }
  const isWindows = places.platform === "win32";
  const name = isWindows ? "joblint.exe" : "joblint";
  const inside = isWindows ? "Scripts" : "bin";
  const known = [
    ...places.folders.map((folder) => join(folder, ".venv", inside, name)),
    join(places.extension, "bin", name),
  ];
  return known.find(exists) ?? name;
}
