import { Agent, request } from 'undici'
import { at } from '../../common/json/json.ts'

/** The `response` of one review. @throws Error if the answer is not a review */
export async function call(port: number, path: string, body: string): Promise<unknown> {
  const dispatcher = new Agent({ connect: { rejectUnauthorized: false } }) // the server is known
  try {
    const headers = { 'content-type': 'application/json' }
    const answer = await request(`https://127.0.0.1:${port}${path}`, { method: 'POST', headers, body, dispatcher })
    const text = await answer.body.text()
    if (answer.statusCode !== 200) throw new Error(`${path}: ${answer.statusCode} ${text.slice(0, 200)}`)
    return at(JSON.parse(text), 'response')
  } finally {
    await dispatcher.close()
  }
}
