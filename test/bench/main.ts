/** `npm run bench [-- [NAME …] [--json]]`: every figure is a ratio to something measured in the same run. */
import { commandLine } from '../../sandbox/command-line.ts'
import { analysis } from './analysis.ts'
import { argo } from './argo.ts'
import { attacks } from './attacks.ts'
import { cli } from './cli.ts'
import { derivation } from './derivation.ts'
import { drift } from './drift.ts'
import type { Bench, Figure } from './figure.ts'
import { table } from './figure.ts'
import { followers } from './followers.ts'
import { pass } from './pass.ts'
import { restart } from './restart.ts'
import { scale } from './scale.ts'
import { slowProvider } from './slow-provider.ts'
import { steps } from './steps.ts'
import { verdicts } from './verdicts.ts'
import { webhook } from './webhook.ts'

const BENCHES: readonly Bench[] = [
  scale,
  restart,
  drift,
  argo,
  steps,
  verdicts,
  analysis,
  slowProvider,
  derivation,
  followers,
  webhook,
  attacks,
  pass,
  cli,
]

const USAGE = `npm run bench [-- [NAME …] [--json]]

Measures everything, or what is named. Every figure is a ratio to something measured in the same run.

${BENCHES.map(({ name, measures }) => `  ${name}: ${measures}`).join('\n')}

  --json   prints a line of JSON for each figure
  --help`

const {
  values,
  positionals: names,
  refuse,
} = commandLine(USAGE, { options: { json: { type: 'boolean' } }, allowPositionals: true })
const unknown = names.filter((name) => !BENCHES.some((bench) => bench.name === name))
if (unknown.length > 0) refuse(`no bench called ${unknown.join(', ')}`)

const figures: Figure[] = []
for (const bench of BENCHES.filter(({ name }) => names.length === 0 || names.includes(name)))
  figures.push(...(await bench.run((line) => console.error(`${bench.name}: ${line}`))))
if (values.json) for (const figure of figures) console.log(JSON.stringify(figure))
else console.log(table(figures))
if (figures.some(({ holds }) => !holds)) process.exitCode = 1
