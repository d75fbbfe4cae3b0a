declare module 'snappyjs' {
  /** Snappy's block format. */
  export function compress(bytes: Uint8Array): Uint8Array
}
