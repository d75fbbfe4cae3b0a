/** `npm run bench -- [NAME …] [--json]`: every figure is a ratio to something measured in the same run. */

import { derivation } from './derivation.ts'
import type { Bench, Figure } from './figure.ts'
import { table } from './figure.ts'
import { followers } from './followers.ts'
import { forks } from './forks.ts'
import { webhook } from './webhook.ts'

const BENCHES: readonly Bench[] = [forks, derivation, followers, webhook]

const words = process.argv.slice(2)
const isJson = words.includes('--json')
const names = words.filter((word) => !word.startsWith('--'))
const unknown = names.filter((name) => !BENCHES.some((bench) => bench.name === name))
if (unknown.length > 0) {
  console.error(`no bench called ${unknown.join(', ')}; there are:`)
  for (const { name, measures } of BENCHES) console.error(`  ${name}: ${measures}`)
  process.exit(2)
}

const figures: Figure[] = []
for (const bench of BENCHES.filter(({ name }) => names.length === 0 || names.includes(name)))
  figures.push(...(await bench.run((line) => console.error(`${bench.name}: ${line}`))))
if (isJson) for (const figure of figures) console.log(JSON.stringify(figure))
else console.log(table(figures))
if (figures.some(({ holds }) => !holds)) process.exitCode = 1
