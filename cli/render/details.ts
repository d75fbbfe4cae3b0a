import type { ExperimentView, ViewAction, ViewChange, ViewStep } from '../../common/view/experiment-view.ts'
import { type Text, text } from '../../common/view/text.ts'
import { NOTHING, said, spaced } from './said.ts'
import { markOf, type Style } from './style.ts'
import { tableLines } from './table.ts'
import { leftUntil, withTimeLeft } from './time.ts'
import { type Showing, treeLines } from './tree.ts'

/** A title, and the lines beside it. */
type Section = readonly [title: string, lines: readonly string[]]

const GUTTER = 11

/** An experiment for people: what it is, why, what to do, and the objects that belong to it. */
export function detailLines(view: ExperimentView, showing: Showing, { wide }: { readonly wide: boolean }) {
  const sections: readonly Section[] = [
    ['Name', [said`${text(view.metadata.name)} in ${text(view.metadata.namespace)}`]],
    ['Status', statusLines(view, showing)],
    ['To do', [view.because.remedy, ...commandLines(view)]],
    ['Changes', tableLines({ rows: view.changes.map(changeCells) }, showing.style)],
    ['Traffic', tableLines({ rows: view.services.map(serviceCells) }, showing.style)],
    ['Steps', stepLines(view, showing)],
    ['Analysis', view.analysis ? [spaced(text(view.analysis.verdict), view.analysis.message)] : []],
    [
      'Ends',
      view.deadlines.map(
        ({ what, at }) => said`${DEADLINES[what]} at ${text(at)} (${leftUntil(at, showing.now)} left)`,
      ),
    ],
    ['Command', commandLine(view)],
    ['Policies', view.policy.status === 'False' ? [spaced(view.policy.reason, view.policy.message)] : []],
    ['Warnings', view.warnings.map(({ reason, message, remedy }) => said`${reason}: ${message} ${remedy}`)],
    ['Unread', view.unread.map(({ what, because }) => said`${what}: ${because}`)],
    ['Events', wide ? timelineLines(view, showing.style) : []],
  ]
  return [...sections.flatMap(sectionLines), '', ...treeLines(view, showing)]
}

const DEADLINES: Readonly<Record<ExperimentView['deadlines'][number]['what'], Text>> = {
  expires: text('the experiment'),
  pause: text('the pause'),
  progressDeadline: text('the progress deadline'),
  analysis: text('the analysis'),
}

/** Nothing where it has no lines. */
const sectionLines = ([title, lines]: Section): readonly string[] =>
  lines.map((line, index) => `${(index === 0 ? `${title}:` : '').padEnd(GUTTER)}${line}`.trimEnd())

const statusLines = ({ state, because }: ExperimentView, { now, style }: Showing): readonly string[] => [
  `${markOf(state, style)} ${spaced(text(state), reasoned(because, now))}`,
  ...because.found,
]

const reasoned = ({ reason, message }: ExperimentView['because'], now: Date): Text =>
  message === '' ? reason : said`${reason}: ${withTimeLeft(message, now)}`

/** What ends a wait or begins again comes first; what only stops is never the thing to do. */
const USUAL: readonly ViewAction['verb'][] = ['resume', 'promote', 'retry']

const commandLines = ({ metadata, state, actions }: ExperimentView): readonly Text[] => {
  if (state !== 'Paused' && state !== 'Failed') return []
  const verb = USUAL.find((each) => actions.some((action) => action.verb === each && action.isOffered))
  return verb === undefined ? [] : [said`or: ${pluginCommand(verb, metadata)}`]
}

/** How to give `verb` with this program. It names the namespace: the reader may be in another one. */
export const pluginCommand = (
  verb: string,
  { name, namespace }: Pick<ExperimentView['metadata'], 'name' | 'namespace'>,
) => text(`kubectl experiment ${verb} ${name} --namespace=${namespace}`)

const changeCells = ({ path, is, before, after, isOverride }: ViewChange): readonly Text[] => [
  path,
  before !== undefined && after !== undefined
    ? said`${before} -> ${after}`
    : after === undefined
      ? text(is)
      : said`${text(is)} ${after}`,
  isOverride ? NOTHING : text('(not in the override)'),
]

const serviceCells = ({ name, share, own, all, message }: ExperimentView['services'][number]): readonly Text[] => [
  said`service/${text(name)}`,
  share ?? text('-'),
  said`${own} of ${all} ${text(all === 1 ? 'endpoint' : 'endpoints')}`,
  message ?? NOTHING,
]

/** The steps in one line, or in several where it is too narrow. */
function stepLines({ steps, state }: ExperimentView, { style, width = 120 }: Showing): readonly string[] {
  const shown = steps.map((step) => ({ text: stepText(step, state, style), columns: step.text.length + 2 }))
  const lines: string[][] = []
  let room = 0
  for (const { text, columns } of shown) {
    if (columns > room) {
      lines.push([])
      room = width - GUTTER
    }
    lines.at(-1)?.push(text)
    room -= columns + 3
  }
  return lines.map((line) => line.join('   '))
}

const stepText = ({ text, is }: ViewStep, state: ExperimentView['state'], style: Style): string =>
  is === 'ahead' ? text : `${markOf(is === 'done' ? 'Running' : state, style)} ${text}`

const commandLine = ({ command }: ExperimentView): readonly Text[] => {
  if (command === undefined) return []
  const { verb, by, at, answer, message } = command
  const given = [verb, ...(by === undefined ? [] : ['by', by]), ...(at === undefined ? [] : ['at', at])]
  return [said`${text(given.join(' '))}: ${answer}, ${message}`]
}

const timelineLines = ({ timeline }: ExperimentView, style: Style): readonly string[] => [
  ...tableLines({ rows: timeline.map(({ at, reason, message }) => [text(at), reason, message]) }, style),
  'Kubernetes keeps Events for an hour.',
]
