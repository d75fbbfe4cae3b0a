import { createServer } from 'node:http'
import { expect } from 'chai'
import { Agent } from 'undici'
import { checkedAtStart } from '../../../../common/kube/client/start-check.ts'
import { close, listen } from '../../../../common/program/listen.ts'

describe('checkedAtStart', () => {
  it('checks a request when a connection is free for it, and keeps the connection of one that may not start', async () => {
    const answers = Promise.withResolvers<void>()
    const seen: string[] = []
    let connections = 0
    const server = createServer((request, response) => {
      seen.push(`${request.url}`)
      void answers.promise.then(() => response.end('hello'))
    }).on('connection', () => {
      connections += 1
    })
    const origin = `http://127.0.0.1:${await listen(server, 0, '127.0.0.1')}`
    const agent = new Agent({ connections: 1 })
    const checked: string[] = []
    const get = async (path: string, error?: Error) => {
      const sender = checkedAtStart(agent, () => {
        checked.push(path)
        if (error) throw error
      })
      const { body } = await sender.request({ origin, path, method: 'GET' })
      return body.text()
    }
    const first = get('/first')
    const refused = get('/refused', new Error('no')).catch((error: unknown) => `${error}`)
    while (seen.length === 0) await new Promise(setImmediate)
    expect(checked).to.deep.equal(['/first'])
    answers.resolve()
    expect(await Promise.all([first, refused])).to.deep.equal(['hello', 'Error: no'])
    expect(await get('/last')).to.equal('hello')
    expect([checked, seen, connections]).to.deep.equal([['/first', '/refused', '/last'], ['/first', '/last'], 1])
    await agent.close()
    await close(server)
  })
})
