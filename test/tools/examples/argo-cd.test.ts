import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import { parse } from 'yaml'
import type { AnalysisRun } from '../../../common/analysis/kinds/run.ts'
import { actionOf, type Finding } from '../../../common/analysis/run/verdict.ts'
import { NO_DATA_ACTIONS, TIMEOUT_ACTIONS, VERDICTS } from '../../../common/api/analysis/analysis.ts'
import { ANALYSIS_RUN, EXPERIMENT_DEPLOYMENT, GROUP } from '../../../common/api/names.ts'
import type { ExperimentDeployment } from '../../../common/api/types.ts'
import { isObject } from '../../../common/json/json.ts'
import { reasonOf } from '../../../common/view/because.ts'
import type { State } from '../../../common/view/experiment-view.ts'
import { goTool } from '../../../sandbox/go-tools.ts'
import { run } from '../../../sandbox/run.ts'
import { anAnalysisRun } from '../../common/view/some-view.ts'
import { needs } from '../../needs.ts'
import { EXPERIMENTS, HEALTH } from './experiments.ts'

const MANIFEST: unknown = parse(await readFile('examples/argo-cd/argocd-cm.yaml', 'utf8'))
const DATA = isObject(MANIFEST) && isObject(MANIFEST.data) ? MANIFEST.data : {}

/** The scripts by the key under which Argo CD looks for that of a kind. */
const keyOf = (kind: string): string => `resource.customizations.health.${GROUP}_${kind}`

/** A text in Lua. Whatever is not plain is written as bytes. */
const quoted = (text: string): string =>
  `"${[...Buffer.from(text)].map((byte) => `\\${String(byte).padStart(3, '0')}`).join('')}"`

/** A JSON value in Lua, where a member that is null is not there. */
function lua(value: unknown): string {
  if (value === null || value === undefined) return 'nil'
  if (typeof value === 'string') return quoted(value)
  if (Array.isArray(value)) return `{${value.map(lua).join(',')}}`
  if (!isObject(value)) return String(value)
  return `{${Object.entries(value).map(([key, inner]) => `[${quoted(key)}]=${lua(inner)}`)}}`
}

/** Runs a script as Argo CD does: each time in a new world, with the basic functions and the library of tables only. */
const harness = (script: string, objects: readonly unknown[]): string => `
local write, source = io.write, ${quoted(script)}
local basic = {"assert", "error", "ipairs", "next", "pairs", "pcall", "select", "tonumber", "tostring", "type", "unpack"}
local globals, compile, enter = _G, loadstring, setfenv
getmetatable("").__index = nil
local function check(obj)
  local world = {obj = obj, table = globals.table}
  for _, name in ipairs(basic) do world[name] = globals[name] end
  local health = enter(assert(compile(source)), world)()
  write(health.status, "\\1", health.message, "\\2")
end
${objects.map((object) => `check(${lua(object)})`).join('\n')}
`

interface Health {
  readonly status: string
  readonly message: string
}

/** What the script of a kind says about each object. */
async function healthOf(kind: string, objects: readonly unknown[]): Promise<readonly Health[]> {
  const folder = await mkdtemp(join(tmpdir(), 'lua-'))
  try {
    const file = join(folder, 'health.lua')
    await writeFile(file, harness(String(DATA[keyOf(kind)]), objects))
    const { code, stdout, stderr } = await run(await goTool('glua'), [file])
    expect({ code, stderr }).to.deep.equal({ code: 0, stderr: '' })
    return stdout
      .split('\u0002')
      .slice(0, -1)
      .map((answer) => {
        const [status = '', message = ''] = answer.split('\u0001')
        return { status, message }
      })
  } finally {
    await rm(folder, { recursive: true })
  }
}

/** An analysis run that found something, with what follows from it. */
function aRunThatFound(finding: Finding, action = actionOf(finding, { onTimeout: 'Keep', onNoData: 'Keep' })) {
  const { status, ...of } = anAnalysisRun()
  const found = { ...finding, message: `told: ${finding.verdict}`, ...(action === undefined ? {} : { action }) }
  return { ...of, ...(status ? { status: { ...status, ...found } } : {}) }
}

/** Whether no controller has told anything about the present generation. */
const isBehind = ({ metadata, status }: ExperimentDeployment): boolean =>
  (status?.observedGeneration ?? -1) < (metadata.generation ?? 0)
const unseenOf = ({ status }: ExperimentDeployment): string =>
  status?.observedGeneration === undefined
    ? 'no controller has told anything about this experiment yet'
    : 'no controller has seen this change yet'

/** In which state an experiment is then. Without a consequence, the run waits, or has ended. */
const STATE_AFTER = { RollBack: 'Failed', Keep: 'Paused', Promote: 'Running' } as const satisfies Record<string, State>

/** Analysis runs with each verdict and each consequence that it may have. */
const RUNS: readonly (readonly [State, AnalysisRun])[] = VERDICTS.flatMap((verdict) =>
  TIMEOUT_ACTIONS.flatMap((onTimeout) =>
    NO_DATA_ACTIONS.map((onNoData): readonly [State, AnalysisRun] => {
      const finding = { verdict, reason: 'NotShown' }
      const action = actionOf(finding, { onTimeout, onNoData })
      const state = action ? STATE_AFTER[action] : verdict === 'Wait' ? 'Progressing' : 'Ended'
      return [state, aRunThatFound(finding, action)]
    }),
  ),
)

describe('the health checks for Argo CD', () => {
  needs('glua')

  it('are for the kinds that have a state, in the ConfigMap of Argo CD', () => {
    expect(MANIFEST).to.deep.include({
      ...{ apiVersion: 'v1', kind: 'ConfigMap' },
      metadata: { name: 'argocd-cm', namespace: 'argocd' },
    })
    expect(Object.keys(DATA)).to.deep.equal([EXPERIMENT_DEPLOYMENT, ANALYSIS_RUN].map(({ kind }) => keyOf(kind)))
  })

  for (const [state, experiments] of EXPERIMENTS)
    it(`say that an experiment is ${HEALTH[state].argoCd} which is ${state}, and why`, async () => {
      expect(experiments.length).to.be.greaterThan(1)
      const expected = experiments.map((experiment) =>
        isBehind(experiment) && state !== 'Terminating'
          ? { status: 'Progressing', message: unseenOf(experiment) }
          : { status: HEALTH[state].argoCd, message: reasonOf(experiment).message },
      )
      expect(await healthOf(EXPERIMENT_DEPLOYMENT.kind, experiments)).to.deep.equal(expected)
    })

  it('say of an analysis run what follows from its verdict', async () => {
    const expected = RUNS.map(([state, { status }]) => ({
      status: HEALTH[state].argoCd,
      message: status?.message,
    }))
    expect(
      await healthOf(
        ANALYSIS_RUN.kind,
        RUNS.map(([, each]) => each),
      ),
    ).to.deep.equal(expected)
    expect(new Set(expected.map(({ status }) => status)).size).to.equal(4)
  })

  it('say of an analysis run that has not begun, or whose status is empty, that it is in progress', async () => {
    const { status: _, ...fresh } = anAnalysisRun()
    const waiting = { status: 'Progressing', message: 'the analysis has not begun' }
    expect(await healthOf(ANALYSIS_RUN.kind, [fresh, { ...fresh, status: {} }])).to.deep.equal([waiting, waiting])
  })

  it('say that a Fail of an older version is Degraded, although it has no consequence', async () => {
    const { status, ...of } = aRunThatFound({ verdict: 'Fail', reason: 'HarmFound' })
    const [health] = await healthOf(ANALYSIS_RUN.kind, [{ ...of, status: { ...status, action: undefined } }])
    expect(health).to.deep.equal({ status: 'Degraded', message: 'told: Fail' })
  })
})
