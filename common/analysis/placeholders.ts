/** How a text is written in which placeholders stand. */
export type Language =
  /** a query, or a matcher, of Prometheus */
  | 'PromQL'
  /** a query, or a condition, of New Relic */
  | 'NRQL'
  /** a path: what is filled in is percent-encoded */
  | 'Path'
  /** a text that is quoted or encoded as a whole later */
  | 'Plain'

/** What differs from pod to pod, arm to arm and window to window. */
const PLACEHOLDERS = ['arm', 'pods', 'namespace', 'workload', 'windowSeconds', 'windowStart', 'windowEnd']

/** What placeholders stand for, by name: `pods`, `args.route`. */
export type PlaceholderValues = Readonly<Record<string, string>>

interface Quoting {
  /** the quotes of the language; a backslash escapes in all but the backtick */
  readonly quotes: string
  /** the only quotes in which a placeholder may stand */
  readonly allowed: string
  readonly named: string
  /** begins and ends of comments */
  readonly comments: readonly (readonly [begin: string, end: string])[]
  /** what stands around `{{windowSeconds}}`, which is a duration outside of quotes */
  readonly duration: { readonly before: RegExp; readonly after: RegExp; readonly example: string }
}

const QUOTING: Readonly<Partial<Record<Language, Quoting>>> = {
  PromQL: {
    quotes: '"\'`',
    allowed: '"',
    named: 'double quotes',
    comments: [['#', '\n']],
    duration: { before: /(?:^|[^\w.])$/, after: /^s(?!\w)/, example: '[{{windowSeconds}}s]' },
  },
  NRQL: {
    quotes: '"\'`',
    allowed: "'",
    named: 'single quotes',
    comments: [
      ['--', '\n'],
      ['//', '\n'],
      ['/*', '*/'],
    ],
    duration: { before: /(?:^|[^\w.])$/, after: /^ seconds?(?!\w)/i, example: '{{windowSeconds}} seconds' },
  },
}

/** Where a placeholder stands: in which quote, in a comment, or outside of both. */
interface PlaceholderContext {
  readonly name: string | undefined
  readonly start: number
  readonly end: number
  readonly within: string
}

const PLACEHOLDER = /\{\{([A-Za-z][\w.-]*)\}\}/y
const OPENING = '{{'

/** Every `{{` of a text with what surrounds it, in one pass from left to right. */
function placesIn(text: string, quoting: Quoting | undefined): readonly PlaceholderContext[] {
  const places: PlaceholderContext[] = []
  let within = ''
  for (let at = 0; at < text.length; ) {
    const comment = within === '' ? quoting?.comments.find(([begin]) => text.startsWith(begin, at)) : undefined
    const char = text.charAt(at)
    if (text.startsWith(OPENING, at)) {
      PLACEHOLDER.lastIndex = at
      const found = PLACEHOLDER.exec(text)
      const end = at + (found?.[0].length ?? OPENING.length)
      places.push({ name: found?.[1], start: at, end, within })
      at = end
    } else if (comment) {
      within = comment[1]
      at += comment[0].length
    } else if (within === '') {
      if (quoting?.quotes.includes(char)) within = char
      at += 1
    } else if (char === '\\' && within !== '`' && quoting?.quotes.includes(within)) at += 2
    else if (text.startsWith(within, at)) {
      at += within.length
      within = ''
    } else at += 1
  }
  return places
}

/**
 * What is wrong with the placeholders of a text, each with its remedy. `args`: the names of those of its template;
 * undefined outside of a template.
 */
export function placeholderErrors(
  text: string,
  language: Language,
  args: readonly string[] | undefined,
): readonly string[] {
  const quoting = QUOTING[language]
  return placesIn(text, quoting).flatMap((place) => nameError(place, args) ?? placeError(text, place, quoting) ?? [])
}

function nameError({ name }: PlaceholderContext, args: readonly string[] | undefined): string | undefined {
  const known = [...PLACEHOLDERS, ...(args ?? []).map((arg) => `args.${arg}`)]
  if (name !== undefined && known.includes(name)) return undefined
  const valid = known.map((each) => `{{${each}}}`).join(' ')
  if (name === undefined) return `"{{" begins a placeholder; valid ones: ${valid}`
  if (!name.startsWith('args.')) return `{{${name}}}: no such placeholder; valid ones: ${valid}`
  return args
    ? `{{${name}}}: the template has no such arg; add it to spec.args`
    : `{{${name}}}: only templates have args; write the value itself`
}

function placeError(text: string, { name, start, end, within }: PlaceholderContext, quoting: Quoting | undefined) {
  if (!quoting) return undefined
  const { allowed, named, duration } = quoting
  if (name !== 'windowSeconds')
    return within === allowed ? undefined : `{{${name}}}: must stand in ${named}; put it there`
  const isDuration = within === '' && duration.before.test(text.slice(0, start)) && duration.after.test(text.slice(end))
  return isDuration ? undefined : `{{windowSeconds}}: is a duration outside of quotes; write ${duration.example}`
}

/** How a value is written in each language, so that it stays one value. */
const ESCAPED: Readonly<Record<Language, (value: string) => string>> = {
  // PromQL reads the texts of JSON
  PromQL: (value) => JSON.stringify(value).slice(1, -1),
  NRQL: (value) => value.replaceAll(/[\\']/g, (char) => `\\${char}`),
  Path: (value) => encodeURIComponent(value),
  Plain: (value) => value,
}

/**
 * The text with the placeholders that `values` has, in one pass: what is filled in is never read again. The others
 * stay. Expects a text without `placeholderErrors`.
 */
export const filled = (text: string, language: Language, values: PlaceholderValues): string =>
  text.replaceAll(/\{\{([A-Za-z][\w.-]*)\}\}/g, (placeholder, name: string) =>
    Object.hasOwn(values, name) ? ESCAPED[language](values[name] ?? '') : placeholder,
  )
