import type { Text } from '../../common/view/text.ts'
import { withoutMiddle } from './cut.ts'
import { type Mark, markOf, type Style } from './style.ts'

/** A cell of a table: a text, with a mark or the lines of a tree before it. */
export type Cell = Text | { readonly mark?: Mark; readonly branch?: string; readonly text: Text }

interface Table {
  /** the first one may be the header */
  readonly rows: readonly (readonly Cell[])[]
  /** the columns that there are; absent: as many as it needs */
  readonly width?: number
  /** the index of the cells whose middle is left out where the table is too wide */
  readonly shortens?: number
}

const GAP = '  '
/** A name is not made shorter than this. */
const MIN_NAME = 16

/** `table` with aligned columns, line by line. The last column is as long as its texts. */
export function tableLines({ rows, width = Number.POSITIVE_INFINITY, shortens }: Table, style: Style) {
  const natural = widthsOf(rows)
  const tooWide = natural.reduce((sum, each) => sum + each + GAP.length, -GAP.length) - width
  const name = shortens === undefined ? 0 : (natural[shortens] ?? 0)
  const most = tooWide > 0 ? Math.max(MIN_NAME, name - tooWide) : name
  const shortened = (cell: Cell, at: number) => (at === shortens ? shorter(cell, most, style) : cell)
  const cut = rows.map((cells) => cells.map(shortened))
  const widths = widthsOf(cut)
  return cut.map((cells) =>
    cells
      .map((cell, at) => padded(cell, widths[at] ?? 0, style))
      .join(GAP)
      .trimEnd(),
  )
}

const widthsOf = (rows: readonly (readonly Cell[])[]): readonly number[] =>
  Array.from({ length: Math.max(0, ...rows.map((cells) => cells.length)) }, (_, at) =>
    Math.max(...rows.map((cells) => widthOf(cells[at]))),
  )

interface Parts {
  readonly mark?: Mark
  readonly branch?: string
  readonly text: string
}

const partsOf = (cell: Cell | undefined): Parts => (typeof cell === 'object' ? cell : { text: cell ?? '' })

/** In characters, not in UTF-16 units. A mark is one, and has a space between itself and its text. */
function widthOf(cell: Cell | undefined): number {
  const { mark, branch = '', text } = partsOf(cell)
  return [...branch].length + (mark === undefined ? 0 : text === '' ? 1 : 2) + [...text].length
}

function padded(cell: Cell, width: number, style: Style): string {
  const { mark, branch = '', text } = partsOf(cell)
  const marked = mark === undefined ? text : `${markOf(mark, style)}${text === '' ? '' : ' '}${text}`
  return `${branch}${marked}${' '.repeat(Math.max(0, width - widthOf(cell)))}`
}

function shorter(cell: Cell, most: number, style: Style): Cell {
  if (typeof cell === 'string') return withoutMiddle(cell, most, style)
  return { ...cell, text: withoutMiddle(cell.text, most - (widthOf(cell) - [...cell.text].length), style) }
}
