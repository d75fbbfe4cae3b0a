/** What must hold for a line to be there: conditions, all of which hold. `!gate` says that `gate` does not. */
export interface Line {
  readonly text: string
  readonly when: readonly string[]
}

/** Another version of a text, which is there when `when` holds. */
export interface Version {
  readonly when: string
  readonly lines: readonly string[]
}

/**
 * One text that is `base` where no condition holds, and each of `versions` where only its condition holds. Where
 * several hold, each changes what it changes alone.
 */
export function merged(base: readonly string[], versions: readonly Version[]): readonly Line[] {
  const edits = versions.map(({ when, lines }) => ({ when, ...editOf(base, lines) }))
  const at = (index: number): readonly Line[] => {
    const added = edits.flatMap(({ when, added }) => (added.get(index) ?? []).map((text) => ({ text, when: [when] })))
    const text = base[index]
    if (text === undefined) return added
    return [...added, { text, when: edits.filter(({ removed }) => removed.has(index)).map(({ when }) => `!${when}`) }]
  }
  return Array.from({ length: base.length + 1 }, (_, index) => at(index)).flat()
}

/** The text that is there where just the conditions `holding` hold. */
export const linesWhere = (lines: readonly Line[], holding: ReadonlySet<string>): readonly string[] =>
  lines
    .filter(({ when }) =>
      when.every((each) => (each.startsWith('!') ? !holding.has(each.slice(1)) : holding.has(each))),
    )
    .map(({ text }) => text)

/** One text that has the lines of `no` where `condition` does not hold, and those of `yes` where it does. */
export function either(condition: string, no: readonly Line[], yes: readonly Line[]): readonly Line[] {
  const key = ({ text, when }: Line) => JSON.stringify([text, when])
  const { removed, added } = editOf(no.map(key), yes.map(key))
  const lineOf = new Map([...no, ...yes].map((line) => [key(line), line]))
  const only = (line: Line, when: string): Line => ({ ...line, when: [when, ...line.when] })
  return Array.from({ length: no.length + 1 }, (_, index) => {
    const before = (added.get(index) ?? [])
      .flatMap((each) => lineOf.get(each) ?? [])
      .map((line) => only(line, condition))
    const line = no[index]
    return line ? [...before, removed.has(index) ? only(line, `!${condition}`) : line] : before
  }).flat()
}

interface Edit {
  /** the indices of lines that go */
  readonly removed: ReadonlySet<number>
  /** the lines that come before an index */
  readonly added: ReadonlyMap<number, readonly string[]>
}

/** The shortest edit that makes `to` of `from`: by their longest common subsequence. */
function editOf(from: readonly string[], to: readonly string[]): Edit {
  const width = to.length + 1
  const longest = new Uint32Array((from.length + 1) * width)
  const of = (i: number, j: number) => longest[i * width + j] ?? 0
  for (let i = from.length - 1; i >= 0; i--)
    for (let j = to.length - 1; j >= 0; j--)
      longest[i * width + j] = from[i] === to[j] ? of(i + 1, j + 1) + 1 : Math.max(of(i + 1, j), of(i, j + 1))
  const removed = new Set<number>()
  const added = new Map<number, string[]>()
  let [i, j] = [0, 0]
  while (i < from.length || j < to.length) {
    const line = to[j]
    if (i < from.length && from[i] === line) {
      i++
      j++
    } else if (line === undefined || (i < from.length && of(i + 1, j) >= of(i, j + 1))) removed.add(i++)
    else {
      added.set(i, [...(added.get(i) ?? []), line])
      j++
    }
  }
  return { removed, added }
}
