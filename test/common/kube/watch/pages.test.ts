import { expect } from 'chai'
import type { KubeRequest } from '../../../../common/kube/client/request.ts'
import { withFewPages } from '../../../../common/kube/watch/pages.ts'
import { kubeError, ScriptedClient } from '../../../fakes/wire-by-hand.ts'
import { turn } from '../../../virtual-time.ts'

const LIST: KubeRequest = { verb: 'list', path: '/api/v1/services' }

describe('a client with few pages at once', () => {
  it('reads two pages at once, and the next one when one has ended, also by a failure', async () => {
    const scripted = new ScriptedClient()
    const client = withFewPages(scripted)
    const outcomes = Array.from({ length: 4 }, (_, index) =>
      client.request({ ...LIST, path: `/${index}` }).catch((error: Error) => error.message),
    )
    const [first, second] = [await scripted.list(), await scripted.list()]
    expect(scripted.diary).to.have.length(2)
    first.fail(kubeError('server'))
    const third = await scripted.list()
    expect([third.request.path, scripted.diary.length]).to.deep.equal(['/2', 3])
    third.answer('third')
    ;(await scripted.list()).answer('fourth')
    second.answer('second')
    expect(await Promise.all(outcomes)).to.deep.equal(['server', 'second', 'third', 'fourth'])
  })

  it('does not send a page whose caller has stopped meanwhile', async () => {
    const scripted = new ScriptedClient()
    const client = withFewPages(scripted)
    for (let pages = 0; pages < 2; pages += 1) void client.request(LIST)
    const caller = new AbortController()
    const third = client.request({ ...LIST, signal: caller.signal }).catch((error: unknown) => error)
    await turn()
    caller.abort('stopped')
    expect(await third).to.equal('stopped')
    ;(await scripted.list()).answer('first')
    await turn()
    expect(scripted.diary).to.have.length(2)
  })

  it('makes no watch and no other request wait', async () => {
    const scripted = new ScriptedClient()
    const client = withFewPages(scripted)
    const { signal } = new AbortController()
    for (let pages = 0; pages < 3; pages += 1) void client.request(LIST)
    void client.request({ verb: 'get', path: '/api/v1/namespaces/shop' })
    void client.stream({ path: LIST.path, query: { resourceVersion: 5 }, signal })
    await turn()
    expect(scripted.diary).to.have.members(['list', 'list', 'get', 'watch 5'])
  })
})
