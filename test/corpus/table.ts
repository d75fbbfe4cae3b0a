import type { Report } from './examine.ts'

/** A report as lines for people: a row per workload, what failed below it, and the sums. */
export function tableOf({ subjects, refused, forbidden }: Report): string {
  const rows = [
    ['WORKLOAD', 'FILE', 'OUTCOME', 'SHARE', 'SERVICES', 'WARNINGS'],
    ...subjects.map(({ kind, name, file, outcome, share, services, warnings }) => [
      `${kind.kind}/${name}`,
      file,
      outcome,
      share,
      services,
      [...warnings].join(' ') || '-',
    ]),
  ]
  const widths = (rows[0] ?? []).map((_, column) =>
    Math.min(60, Math.max(...rows.map((row) => row[column]?.length ?? 0))),
  )
  const line = (row: readonly string[]) =>
    row
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join('  ')
      .trimEnd()
  const [head = [], ...body] = rows
  return [
    line(head),
    ...body.flatMap((row, index) => [
      line(row),
      ...(subjects[index]?.failures ?? []).map((failure) => `    ${failure}`),
    ]),
    ...refused.map(({ file, why }) => `not taken by the API server, ${file}: ${why}`),
    ...forbidden.map((request) => `WRITTEN BY US: ${request}`),
    '',
    `${subjects.length} workloads, ${subjects.filter(({ failures }) => failures.length > 0).length} with failures`,
  ].join('\n')
}
