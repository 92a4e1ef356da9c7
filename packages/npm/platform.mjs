// Prints the platform of a target of Rust, as Node and VS Code name it: platform.mjs TARGET

import { platformOf } from "./bin/platforms.mjs";

console.log(platformOf(process.argv[2]));
