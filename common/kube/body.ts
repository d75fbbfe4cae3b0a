import type { Dispatcher } from 'undici'
import { KubeError } from './errors.ts'

/**
 * An answer's whole body as text. What would be longer than `maxBytes` is not read to its end, and its connection goes.
 * @throws KubeError `invalid` for that: the same again would be as long
 */
export async function textOf(body: Dispatcher.ResponseData['body'], maxBytes: number | undefined): Promise<string> {
  if (maxBytes === undefined) return body.text()
  const chunks: Uint8Array[] = []
  let bytes = 0
  for await (const chunk of body) {
    bytes += chunk.length
    if (bytes > maxBytes) throw new KubeError({ kind: 'invalid', message: `an answer of more than ${maxBytes} bytes` })
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString()
}
