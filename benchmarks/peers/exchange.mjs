// What an engine in JavaScript reads and writes; the same as in exchange.py.
// Arguments: the folder that the engines are installed in, the tangle, where the answer goes.

import { readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";

const [folder, question, reply] = process.argv.slice(2);

/** Loads a package from the folder of the engines. */
export const load = createRequire(join(folder, "package.json"));

export function asked() {
    return JSON.parse(readFileSync(question, "utf8"));
}

/** Runs the work, and tells its CPU seconds and how many bytes the process grew. */
export async function clocked(work) {
    writeFileSync("/proc/self/clear_refs", "5");
    const before = process.memoryUsage.rss();
    const start = process.cpuUsage();
    const result = await work();
    const { user, system } = process.cpuUsage(start);
    const peak = /^VmHWM:\s+(\d+)/m.exec(readFileSync("/proc/self/status", "utf8"))[1] * 1024;
    return [result, { cpu: (user + system) / 1e6, peak: Math.max(0, peak - before) }];
}

export function answer(name, spent, drawn) {
    const { version } = load(`${name}/package.json`);
    writeFileSync(reply, JSON.stringify({ version, ...spent, ...drawn }));
}
