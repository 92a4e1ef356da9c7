// Writes the package.json of a platform, or of the package that people install: manifest.mjs VERSION TARGET|main FOLDER

import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import { PLATFORMS, packageOf, platformOf } from "./bin/platforms.mjs";

const [version, target, folder] = process.argv.slice(2);

const shared = {
  version,
  description: "What happens to this Kubernetes Job on the next deploy? A static analyser for Jobs, CronJobs and deploy hooks.",
  homepage: "https://joblint.dev",
  repository: { type: "git", url: "git+https://github.com/joblint/joblint.git" },
  license: "(MIT OR Apache-2.0)",
};

const names = Object.keys(PLATFORMS).map((platform) => packageOf(platform));
const main = {
  name: "joblint",
  ...shared,
  keywords: ["kubernetes", "helm", "lint", "job", "gitops"],
  bin: { joblint: "bin/joblint.mjs" },
  files: ["bin"],
  engines: { node: ">=18" },
  optionalDependencies: Object.fromEntries(names.map((name) => [name, version])),
};

function platformPackage() {
  const platform = platformOf(target);
  const [os, cpu] = platform.split("-");
  return {
    name: packageOf(platform),
    ...shared,
    os: [os],
    cpu: [cpu],
    files: ["bin", "LICENSE-MIT", "LICENSE-APACHE", "THIRD-PARTY-LICENSES.txt"],
    preferUnplugged: true,
  };
}

const manifest = target === "main" ? main : platformPackage();
mkdirSync(join(folder, target), { recursive: true });
writeFileSync(join(folder, target, "package.json"), JSON.stringify(manifest, null, 2) + "\n");
