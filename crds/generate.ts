import { existsSync, globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { fileURLToPath } from 'node:url'
import { chartFiles } from '../manifests/chart/files.ts'
import { kustomizeBy } from '../manifests/chart/render.ts'
import { EXPECTED_FILE, expected } from '../manifests/expected.ts'
import { preparedKubectl } from '../sandbox/prepare.ts'
import { type Generated, generated, versionIn } from './generated.ts'

const ROOT = new URL('../', import.meta.url)
const isCheck = process.argv.includes('--check')

const read = (file: string): string => {
  const place = new URL(file, ROOT)
  return existsSync(place) ? readFileSync(place, 'utf8') : ''
}
const differs = ({ file, text }: Generated): boolean => read(file) !== text

/** Writes the files, or with `--check` says which are out of date. */
function settle(all: readonly Generated[], unwanted: readonly string[] = []): void {
  const stale = all.filter(differs)
  if (isCheck) {
    for (const file of [...stale.map((each) => each.file), ...unwanted])
      console.error(`${file} is out of date; run npm run generate`)
    if (stale.length + unwanted.length > 0) process.exitCode = 1
    return
  }
  for (const { file, text } of stale) {
    mkdirSync(dirname(fileURLToPath(new URL(file, ROOT))), { recursive: true })
    writeFileSync(new URL(file, ROOT), text)
    console.log(`wrote ${file}`)
  }
  for (const file of unwanted) {
    rmSync(new URL(file, ROOT))
    console.log(`removed ${file}`)
  }
}

settle(generated(read))
// of what kustomize builds of the files above
const kustomize = kustomizeBy(await preparedKubectl((line) => console.error(line)))
settle([{ file: EXPECTED_FILE, text: `${JSON.stringify(await expected(kustomize), null, 2)}\n` }])
const chart = await chartFiles(kustomize, versionIn(read))
const known = new Set(chart.map(({ file }) => file))
const present = globSync('charts/*/**/*', { cwd: fileURLToPath(ROOT), withFileTypes: true })
const files = present.filter((each) => each.isFile()).map((each) => `${each.parentPath}/${each.name}`)
const paths = files.map((file) => file.slice(fileURLToPath(ROOT).length))
settle(
  chart,
  paths.filter((file) => !known.has(file)),
)
