import type { MetricKind, PluginQuery } from '../../api/analysis/metric.ts'
import { API_VERSION } from '../../api/names.ts'
import { isObject, member } from '../../json/json.ts'
import { printable } from '../../text/printable.ts'
import { filled } from '../placeholders.ts'
import type { Arm } from '../window-data.ts'
import { type ArmMembers, dataOf, MEMBERS } from './arm-members.ts'
import { placeholderValues, podList } from './placeholder-values.ts'
import { failed, type ProviderRequest, type WindowAnswer, type WindowQuery } from './window-query.ts'

/** The version of the requests to plugins and of their answers. */
const PLUGIN_API_VERSION = API_VERSION

const DECISIONS = ['Wait', 'Pass', 'Fail'] as const

/**
 * The request to a plugin. It is asked once for both arms, so `{{arm}}`, `{{pods}}` and `{{workload}}` in its args are
 * those of the treatment.
 */
export function pluginRequest({ args = {} }: PluginQuery, query: WindowQuery): ProviderRequest {
  const { metric, run, namespace, window, arms } = query
  const values = placeholderValues(query, 'treatment', podList)
  const filledArgs = Object.entries(args).map(([name, text]) => [name, filled(text, 'Plain', values)])
  const request = {
    apiVersion: PLUGIN_API_VERSION,
    run: { name: run.name, namespace, uid: run.uid },
    metric: { name: metric.name, args: Object.fromEntries(filledArgs) },
    window: { start: time(window.start), end: time(window.end) },
    control: { pods: arms.control.pods },
    treatment: { pods: arms.treatment.pods },
  }
  return { method: 'POST', path: '/', body: { type: 'application/json', text: JSON.stringify(request) } }
}

/** RFC 3339 */
const time = (ms: number): string => new Date(ms).toISOString()

/**
 * What a plugin answered: a decision for kind Decision, for other kinds what they need of each arm. The message of a
 * plugin may reach objects, because an admin has chosen the plugin: its invisible characters are escaped, it is cut,
 * and one that is no text counts as none, as a decision must not be lost because of its message.
 */
export function pluginAnswer(kind: MetricKind, json: unknown): WindowAnswer {
  if (!isObject(json)) return failed('the answer must be an object')
  if (kind === 'Decision') return decisionIn(json)
  const [treatment, control] = [membersIn(json, 'treatment'), membersIn(json, 'control')]
  if (!treatment) return failed('treatment: must be an object')
  return control ? dataOf(kind, { treatment, control }) : failed('control: must be an object')
}

function decisionIn(json: object): WindowAnswer {
  const decision = DECISIONS.find((each) => each === member(json, 'decision'))
  if (!decision) return failed(`decision: must be Wait, Pass or Fail`)
  const message = member(json, 'message')
  return {
    is: 'data',
    data: { is: 'decision', decision, message: typeof message === 'string' ? printable(message) : '' },
  }
}

/** Undefined if it is there and is no object. */
function membersIn(json: object, arm: Arm): ArmMembers | undefined {
  const held = member(json, arm) ?? {}
  if (!isObject(held)) return undefined
  return Object.fromEntries(MEMBERS.map((name) => [name, member(held, name)]))
}
