/** The labels of each series, by its name in a query. */
export type Series = Readonly<Record<string, readonly string[]>>

/** The functions and keywords of PromQL that our expressions use. */
const WORDS = new Set([
  ...['by', 'on', 'and', 'or', 'unless', 'sum', 'min', 'max', 'max_over_time', 'rate', 'increase', 'absent'],
  ...['histogram_quantile', 'time'],
])

/** The names of metrics in a scrape, with the labels of their series. */
export function labelsByMetric(scrape: string): Series {
  const found: Record<string, string[]> = {}
  for (const [, name = '', labels = ''] of scrape.matchAll(/^(\w+)(?:\{(.*)\})? \S+$/gm))
    found[name] = [...labels.matchAll(/(\w+)="/g)].map(([, label = '']) => label)
  return found
}

/**
 * What a query names that does not exist: metrics, functions, and labels. Not a parser: it reads names and brackets.
 */
export function misused(expr: string, series: Series): readonly string[] {
  const wrong: string[] = []
  const bare = expr.replaceAll(/"[^"]*"/g, '""').replaceAll(/\[[^\]]*\]| offset \w+/g, '')
  for (const [, name = '', matchers = ''] of bare.matchAll(/(\w+)\{([^}]*)\}/g))
    for (const [, label = ''] of matchers.matchAll(/(\w+)\s*[=!]/g))
      if (!series[name]?.includes(label)) wrong.push(`${label} of ${name}`)
  const selectorless = bare.replaceAll(/\{[^}]*\}/g, '')
  const lists = /\b(?:by|on) \(([^)]*)\)/g
  const grouped = [...selectorless.matchAll(lists)].flatMap(([, labels = '']) => names(labels))
  const words = names(selectorless.replaceAll(lists, ''))
  const metrics = words.filter((word) => !WORDS.has(word))
  wrong.push(...metrics.filter((name) => !(name in series)))
  const known = metrics.flatMap((name) => series[name] ?? [])
  wrong.push(...grouped.filter((label) => !known.includes(label)))
  if (!isBalanced(bare)) wrong.push('unbalanced')
  return wrong
}

const names = (text: string): readonly string[] => text.match(/[A-Za-z_]\w*/g) ?? []

function isBalanced(text: string): boolean {
  const open: string[] = []
  for (const sign of text.replaceAll(/[^(){}]/g, ''))
    if (sign === '(' || sign === '{') open.push(sign)
    else if (open.pop() !== (sign === ')' ? '(' : '{')) return false
  return open.length === 0
}
