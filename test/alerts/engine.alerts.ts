import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import { parse, stringify } from 'yaml'
import { at, listOr } from '../../common/json/json.ts'
import type { Alert } from '../../crds/monitoring/alert.ts'
import { ALERTS, alertManifest } from '../../crds/monitoring/alerts.ts'
import { placeOf } from '../../crds/monitoring/sections.ts'
import { goTool } from '../../sandbox/go-tools.ts'
import { run } from '../../sandbox/run.ts'
import { needs } from '../needs.ts'
import { CASES, type Case, type Course, GOOD_MINUTES, NAMESPACE, notReady } from './courses.ts'

/** How long an absent series still counts as present in Prometheus. */
const LOOKBACK_MINUTES = 5

const minutes = (text: string): number => Number.parseInt(text, 10) * (text.endsWith('h') ? 60 : 1)

/** How long the alert takes: until the expression holds at the latest, and then for how long it must hold. */
const timesOf = ({ expr, for: pending = '0m' }: Alert) => {
  const windows = [...expr.matchAll(/\[(\w+)\]/g)].map(([, window = '']) => minutes(window))
  return { seenMinutes: Math.max(0, ...windows) + LOOKBACK_MINUTES, pendingMinutes: minutes(pending) }
}

/** The values of a series, in the notation of promtool: good ones, bad ones, and good ones again. */
function valuesOf({ is, good, bad }: Course, badMinutes: number): string {
  const phases = [
    { value: good, count: GOOD_MINUTES },
    { value: bad, count: badMinutes },
    { value: good, count: GOOD_MINUTES },
  ]
  let total = 0
  return phases
    .map(({ value, count }) => {
      if (value === 'none') return `_x${count}`
      if (is === 'gauge') return `${value}x${count - 1}`
      const from = total
      total += value * count
      return `${from}+${value}x${count - 1}`
    })
    .join(' ')
}

function seriesOf({ series, pod = 'a' }: Course): string {
  const [, name = '', labels = ''] = /^(\w+)(?:\{(.+)\})?$/.exec(series) ?? []
  return `${name}{namespace="${NAMESPACE}", pod="${pod}"${labels && `, ${labels}`}}`
}

/** The alert as it is sent to people. */
const firing = (alert: Alert, { labels, value }: Case) => {
  const told = (text: string) =>
    text
      .replaceAll(/\{\{ \$labels\.(\w+) \}\}/g, (_, label: string) => labels[label] ?? '')
      .replaceAll('{{ $value }}', `${value}`)
  const { severity, summary, description, remedy, section } = alert
  return {
    exp_labels: { severity, ...labels },
    exp_annotations: {
      summary: told(summary),
      description: told(description),
      remedy: told(remedy),
      section: placeOf(section),
    },
  }
}

/** What promtool tests: silence as long as all is well and before the time is over, then the alert, then silence. */
function testOf(alertname: string, alert: Alert, of: Case): object {
  const { seenMinutes, pendingMinutes } = timesOf(alert)
  const badMinutes = seenMinutes + pendingMinutes + 10
  const checks: readonly (readonly [minute: number, isFiring: boolean])[] = [
    [GOOD_MINUTES - 1, false],
    ...(pendingMinutes > 0 ? [[GOOD_MINUTES + pendingMinutes - 1, false] as const] : []),
    [GOOD_MINUTES + seenMinutes + pendingMinutes, true],
    [GOOD_MINUTES + badMinutes + seenMinutes, false],
  ]
  return {
    name: alertname,
    interval: '1m',
    input_series: of.courses.map((course) => ({ series: seriesOf(course), values: valuesOf(course, badMinutes) })),
    alert_rule_test: checks.map(([minute, isFiring]) => ({
      ...{ eval_time: `${minute}m`, alertname },
      exp_alerts: isFiring ? [firing(alert, of)] : [],
    })),
  }
}

describe('the alerts, in the engine of Prometheus', () => {
  let command = ''
  let folder = ''
  needs('promtool')
  before('its rules', async () => {
    command = await goTool('promtool')
    folder = mkdtempSync(join(tmpdir(), 'alerts-'))
    writeFileSync(join(folder, 'rules.yaml'), stringify(at(parse(alertManifest()), 'spec')))
  })
  after('its files are removed', () => rmSync(folder, { recursive: true, force: true }))

  /** What promtool says about a test of the alerts in a file. */
  async function tested(test: object, rules = 'rules.yaml') {
    const file = join(folder, 'test.yaml')
    writeFileSync(file, stringify({ rule_files: [rules], evaluation_interval: '1m', tests: [test] }))
    const { code, stdout, stderr } = await run(command, ['test', 'rules', file])
    return { code, said: `${stdout}${stderr}` }
  }

  it('have one course of their metrics each', () =>
    expect(Object.keys(CASES).map((name) => `Experiment${name}`)).to.have.members(Object.keys(ALERTS)))

  it('are rules that Prometheus accepts', async () => {
    const { code, stdout } = await run(command, ['check', 'rules', join(folder, 'rules.yaml')])
    expect(code, stdout).to.equal(0)
    expect(stdout).to.contain(`${Object.keys(ALERTS).length} rules found`)
  })

  for (const [name, alert] of Object.entries(ALERTS))
    it(`${name} fires in time with its text, not before, and not afterwards`, async () => {
      const of = CASES[name.replace(/^Experiment/, '')]
      const { code, said } = await tested(testOf(name, alert, of ?? { courses: [], labels: {} }))
      expect(code, said).to.equal(0)
    })

  type Values = Readonly<Record<string, string>>

  /** Whether an alert fires at a minute. The values of each series are in the notation of promtool. */
  async function fires(name: string, atMinute: number, values: Values): Promise<boolean> {
    const labels = CASES[name.replace(/^Experiment/, '')]?.labels ?? {}
    const expected = (isFiring: boolean) => ({
      name,
      interval: '1m',
      input_series: Object.entries(values).map(([series, of]) => ({ series, values: of })),
      alert_rule_test: [
        {
          ...{ eval_time: `${atMinute}m`, alertname: name },
          exp_alerts: isFiring ? [firing(ALERTS[name] as Alert, { courses: [], labels })] : [],
        },
      ],
    })
    const [does, doesNot] = [await tested(expected(true)), await tested(expected(false))]
    expect(does.code, does.said).not.to.equal(doesNot.code)
    return does.code === 0
  }
  const ofPod = (series: string, pod = 'a') => seriesOf({ series, pod, is: 'gauge', good: 0, bad: 0 })

  // two minutes of values, then five minutes without, as of a pod that ends again and again
  const CRASHING = Array.from({ length: 8 }, () => '0x1 _x5').join(' ')
  const LEADER = 'experiment_controller_leader'
  const SYNCED = 'experiment_controller_reflector_synced{resource="services"}'
  for (const [name, series] of [
    ['ExperimentControllerWithoutLeader', LEADER],
    ['ExperimentControllerCacheEmpty', SYNCED],
  ] as const)
    it(`${name} fires while the controller ends again and again`, async () =>
      expect(await fires(name, 34, { [ofPod(series)]: CRASHING })).to.equal(true))

  it('ExperimentControllerCacheEmpty does not fire for a pod that ended before it was ready, beside another one', async () => {
    const values = { [ofPod(SYNCED)]: '_x19 0x1 _x40', [ofPod(SYNCED, 'b')]: '1x60' }
    expect(await fires('ExperimentControllerCacheEmpty', 33, values)).to.equal(false)
  })

  describe('ExperimentNotReady', () => {
    const count = 'experiment_controller_experiments{kind="Deployment", ready="False", reason="PodsNotReady"}'
    const isFiring = (values: string) =>
      fires('ExperimentNotReady', 599, { [ofPod(count)]: '1x600', [ofPod(notReady('PodsNotReady'))]: values })

    it('does not fire where some experiment is always starting, but none for long', async () =>
      expect(await isFiring('40x600')).to.equal(false))

    it('fires while the reason comes and goes', async () =>
      expect(await isFiring(Array.from({ length: 100 }, () => '30000x2 stale _x2').join(' '))).to.equal(true))

    it('does not fire when an experiment starts again that ended long ago', async () =>
      expect(await isFiring('_x594 90000x5')).to.equal(false))
  })

  describe('ExperimentWebhookUnreachable', () => {
    const target = 'job="apiserver", instance="a"'
    const rejections = (CASES.WebhookUnreachable?.courses[0]?.series ?? '').replace('{', `{${target}, `)
    const isFiring = (up: string, rejected: string) =>
      fires('ExperimentWebhookUnreachable', 62, { [`up{${target}}`]: up, [rejections]: rejected })

    it('fires for the first rejection that an API server counts', async () =>
      expect(await isFiring('1x120', '_x60 1x60')).to.equal(true))

    it('does not fire for old rejections, when Prometheus has been away', async () =>
      expect(await isFiring('1x20 _x39 1x60', '3x20 _x39 3x60')).to.equal(false))
  })

  it('would not pass if they never fired, or always', async () => {
    const [[name, alert]] = Object.entries(ALERTS) as [[string, Alert]]
    const groups = listOr(at(parse(alertManifest()), 'spec', 'groups'))
    for (const expr of ['vector(1) > 2', 'vector(1)']) {
      const text = stringify({ groups })
        .replace(JSON.stringify(alert.expr), expr)
        .replace(`expr: ${alert.expr}\n`, `expr: ${expr}\n`)
      writeFileSync(join(folder, 'broken.yaml'), text)
      const { code, said } = await tested(testOf(name, alert, CASES.WebhookAbsent as Case), 'broken.yaml')
      expect(code, said).to.equal(1)
      expect(said).to.contain(`alertname: ${name}`)
    }
  })
})
