// Bundle the libraries and collect their licences.
import { build } from "esbuild";
import { readFileSync, readdirSync, writeFileSync } from "node:fs";

const result = await build({
  entryPoints: ["vendor.mjs"],
  outfile: "../assets/vendor.js",
  bundle: true,
  minify: true,
  format: "esm",
  target: "es2020",
  legalComments: "none",
  metafile: true,
});
const packages = new Set();
for (const path of Object.keys(result.metafile.inputs)) {
  const found = path.match(/node_modules\/((?:@[^/]+\/)?[^/]+)/);
  if (found) packages.add(found[1]);
}
const parts = [...packages].sort().map((name) => {
  const folder = `node_modules/${name}`;
  const { version, license } = JSON.parse(readFileSync(`${folder}/package.json`, "utf8"));
  const file = readdirSync(folder).find((entry) => /^licen[cs]e/i.test(entry));
  if (!file) throw new Error(`${name} ships no licence text`);
  return `${name} ${version} (${license})\n\n${readFileSync(`${folder}/${file}`, "utf8").trim()}\n`;
});
writeFileSync("../assets/vendor.LICENSES.txt", parts.join(`\n${"-".repeat(78)}\n\n`));
console.log([...packages].sort().join(" "));
