import type { ExperimentView } from '../../common/view/experiment-view.ts'
import { type Text, text } from '../../common/view/text.ts'
import { DASH, NOTHING, said } from './said.ts'
import type { Mark, Style } from './style.ts'
import { type Cell, tableLines } from './table.ts'
import { ageOf } from './time.ts'

/** An object of the tree, and those that belong to it. */
interface Branch {
  readonly name: string
  readonly kind: string
  readonly status: Exclude<Cell, Text>
  readonly createdAt: string | undefined
  readonly info?: Text
  readonly below?: readonly Branch[]
}

/** How something is shown: at which time, in which style, and on how many columns. */
export interface Showing {
  readonly now: Date
  readonly style: Style
  /** absent: as many as it needs */
  readonly width?: number
}

/** The experiment, its fork with its pods, and its analysis run as a tree: `NAME KIND STATUS AGE INFO`. */
export function treeLines(view: ExperimentView, { now, style, width }: Showing): readonly string[] {
  const header = ['NAME', 'KIND', 'STATUS', 'AGE', 'INFO'].map(text)
  const rows = drawn(branchOf(view), style).map(({ lines, branch }): readonly Cell[] => [
    { branch: lines, text: text(branch.name) },
    text(branch.kind),
    branch.status,
    ageOf(branch.createdAt, now),
    branch.info ?? NOTHING,
  ])
  return tableLines({ rows: [header, ...rows], shortens: 0, ...(width === undefined ? {} : { width }) }, style)
}

function branchOf({ metadata, state, fork, pods, analysis }: ExperimentView): Branch {
  const { name, createdAt } = metadata
  return {
    ...{ name, kind: 'ExperimentDeployment', createdAt },
    status: { mark: state, text: text(state) },
    below: [
      ...(fork ? [{ ...forkOf(fork), below: pods.map(podOf) }] : []),
      ...(analysis?.run === undefined ? [] : [{ ...analysisOf(analysis), name: analysis.run }]),
    ],
  }
}

const forkOf = ({ name, kind, createdAt, ready, wanted }: NonNullable<ExperimentView['fork']>): Branch => ({
  ...{ name, kind, createdAt },
  status: { mark: ready < wanted ? 'Progressing' : wanted === 0 ? 'Idle' : 'Running', text: said`${ready}/${wanted}` },
})

function podOf({ name, node, phase, isReady, restarts, problem, createdAt }: ExperimentView['pods'][number]): Branch {
  const mark: Mark = isReady ? 'Running' : problem === undefined ? 'Progressing' : 'Failed'
  const where = node === undefined ? NOTHING : said`, ${text(node)}`
  const info = said`${text(isReady ? 'ready' : 'not ready')}, ${restarts} ${text(restarts === 1 ? 'restart' : 'restarts')}${where}`
  return { name, kind: 'Pod', createdAt, status: { mark, text: problem ?? text(phase) }, info }
}

const analysisOf = ({ verdict, createdAt, looks, requests }: NonNullable<ExperimentView['analysis']>) => ({
  ...{ kind: 'ExperimentAnalysisRun', createdAt },
  status: { mark: VERDICT_MARKS.get(verdict) ?? 'Stalled', text: text(verdict) } as const,
  ...(looks === undefined ? {} : { info: said`${looks} looks, ${requests ?? DASH} requests` }),
})

/** How verdicts are marked; the others need a person. */
export const VERDICT_MARKS: ReadonlyMap<string, Mark> = new Map([
  ['Wait', 'Progressing'],
  ['Pass', 'Running'],
  ['Fail', 'Failed'],
  ['Aborted', 'Ended'],
])

interface Drawn {
  /** the lines before its name */
  readonly lines: string
  readonly branch: Branch
}

/** `branch` and all below it, from above to below. `before`: what is drawn below the parent. */
function drawn(branch: Branch, { isPlain }: Pick<Style, 'isPlain'>, [lines, before] = ['', '']): readonly Drawn[] {
  const { below = [] } = branch
  const [next, last, through] = isPlain ? ['|-- ', '`-- ', '|   '] : ['├── ', '└── ', '│   ']
  return [
    { lines, branch },
    ...below.flatMap((each, index) => {
      const isLast = index === below.length - 1
      return drawn(each, { isPlain }, [`${before}${isLast ? last : next}`, `${before}${isLast ? '    ' : through}`])
    }),
  ]
}
