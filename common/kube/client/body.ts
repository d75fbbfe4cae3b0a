import type { Dispatcher } from 'undici'
import { KubeError } from './errors.ts'

/**
 * The whole body of a response as text. A body longer than `maxBytes` is not read to its end, and its connection is
 * closed.
 * @throws KubeError `invalid` for such a body: another try would be as long
 */
export async function textOf(body: Dispatcher.ResponseData['body'], maxBytes: number | undefined): Promise<string> {
  if (maxBytes === undefined) return body.text()
  const chunks: Uint8Array[] = []
  let bytes = 0
  for await (const chunk of body) {
    bytes += chunk.length
    if (bytes > maxBytes)
      throw new KubeError({ kind: 'invalid', message: `the response is longer than ${maxBytes} bytes` })
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString()
}
