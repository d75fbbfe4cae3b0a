/**
 * A line for each of `rows`, with columns as wide as their widest cell.
 * @param gap what stands between two columns
 */
export function aligned(rows: readonly (readonly string[])[], gap = '  '): readonly string[] {
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)))
  return rows.map((row) =>
    row
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join(gap)
      .trimEnd(),
  )
}
