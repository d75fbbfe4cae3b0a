/** `bytes` in pieces that end at the places `at`. */
export function piecesOf(bytes: Uint8Array, at: readonly number[]): readonly Uint8Array[] {
  const ends = [...at.map((end) => end % (bytes.length + 1)), bytes.length].sort((a, b) => a - b)
  return ends.map((end, index) => bytes.subarray(index === 0 ? 0 : ends[index - 1], end))
}

/** `text` in pieces as they come from a socket. */
export function socketPieces(text: string): readonly Uint8Array[] {
  const bytes = Buffer.from(text)
  const count = Math.ceil(bytes.length / 65_536)
  return Array.from({ length: count }, (_, index) => bytes.subarray(index * 65_536, (index + 1) * 65_536))
}
