/** `text` in at most `max` characters. Cuts the middle out, since names differ at their ends, and splits no character. */
export function cut(text: string, max: number): string {
  if (text.length <= max) return text
  const half = Math.floor((max - 3) / 2)
  return `${text.slice(0, max - 3 - half)}...${text.slice(-half)}`.toWellFormed()
}
