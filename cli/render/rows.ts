import type { ExperimentRow } from '../../common/view/experiment-view.ts'
import { type Text, text } from '../../common/view/text.ts'
import { DASH, NOTHING, said, spaced } from './said.ts'
import { type Cell, tableLines } from './table.ts'
import { ageOf, leftUntil } from './time.ts'
import type { Showing } from './tree.ts'

/** Which columns a list has. */
export interface Columns {
  readonly namespace: boolean
  readonly wide: boolean
  readonly header: boolean
}

/** The list of experiments: a row for each, with its mark. The middle of long names is left out if need be. */
export function listLines(rows: readonly ExperimentRow[], columns: Columns, { now, style, width }: Showing) {
  const { namespace, wide, header } = columns
  const names = [
    ...['', ...(namespace ? ['NAMESPACE'] : []), 'NAME', 'SOURCE', 'PODS', 'SHARE', 'STEP', 'VERDICT', 'CHANGES'],
    ...['ENDS IN', 'STATUS', ...(wide ? ['AGE', 'BY', 'SERVICES', 'POLICIES', 'MESSAGE'] : [])],
  ].map(text)
  const cells = rows.map((row): readonly Cell[] => [
    { mark: row.state, text: NOTHING },
    ...(namespace ? [text(row.namespace)] : []),
    ...[text(row.name), row.source, row.pods ?? DASH, row.share ?? DASH, row.step ?? DASH],
    ...[row.verdict === undefined ? DASH : text(row.verdict), row.changes ?? DASH],
    ...[endOf(row, now), statusOf(row, now)],
    ...(wide ? wideCells(row, now) : []),
  ])
  const all = header ? [names, ...cells] : cells
  return tableLines({ rows: all, shortens: namespace ? 2 : 1, ...(width === undefined ? {} : { width }) }, style)
}

/** How long it still is until the experiment ends by itself. */
function endOf({ state, expiresAt }: ExperimentRow, now: Date): Text {
  if (state === 'Ended' || state === 'Terminating') return DASH
  return expiresAt === undefined ? text('never') : leftUntil(expiresAt, now)
}

/** Why it is as it is, and how long a pause or a deadline still lasts. */
function statusOf({ reason, deadline }: ExperimentRow, now: Date): Text {
  if (deadline === undefined || deadline.what === 'expires') return reason
  return said`${reason}, ${leftUntil(deadline.at, now)} left`
}

const wideCells = ({ createdAt, requestedBy, services, policies, message }: ExperimentRow, now: Date) => [
  ...[ageOf(createdAt, now), requestedBy ?? DASH],
  ...[listed(services.map(({ name, own, all }) => said`${text(name)} ${own}/${all}`)), listed(policies.map(text))],
  message,
]

const listed = (texts: readonly Text[]): Text => (texts.length === 0 ? DASH : text(texts.join(', ')))

/**
 * A row as one line that stays true: `2026-11-28T14:05:03Z shop/faster-cart Paused  PauseDuration  1/1  8%`, with the
 * time of the change in UTC and in whole seconds.
 */
export const changeLine = (row: ExperimentRow, at: Date): string => `${timeOf(at)} ${changeOf(row)}`

/** The same without its time: two that are equal are no change. */
export const changeOf = ({ namespace, name, state, reason, pods, share, step }: ExperimentRow): string =>
  spaced(said`${text(namespace)}/${text(name)} ${text(state)}`, reason, pods, share, step)

/** The line for an experiment that is not there any more. */
export const goneLine = ({ namespace, name }: Pick<ExperimentRow, 'namespace' | 'name'>, at: Date): string =>
  `${timeOf(at)} ${said`${text(namespace)}/${text(name)} deleted`}`

const timeOf = (at: Date): string => `${at.toISOString().slice(0, 19)}Z`
