import { expect } from 'chai'
import { EXPERIMENT_ID } from '../../../common/api/names.ts'
import { UNREAD } from '../../../common/api/object.ts'
import { KubeError } from '../../../common/kube/client/errors.ts'
import type { KubeRequest } from '../../../common/kube/client/request.ts'
import { orphanMessage, pinnedServices } from '../../../controller/orphans/pinned-services.ts'
import { FORK } from '../swept.ts'

const ID = FORK.metadata.labels?.[EXPERIMENT_ID] ?? ''
const aService = (name: string, selector: object) => ({
  apiVersion: 'v1',
  kind: 'Service',
  metadata: { name },
  spec: { selector },
})

describe('the Services that are pinned to a fork', () => {
  it('N29: are looked for page by page, and among them are those that are too large to be read', async () => {
    const requests: KubeRequest[] = []
    const pages = [
      { items: [aService('shared', { app: 'cart' }), aService('pinned', { app: 'cart', [EXPERIMENT_ID]: ID })] },
      { items: [aService('own', { [EXPERIMENT_ID]: ID }), { ...aService('large', {}), [UNREAD]: 'too large' }] },
    ]
    const client = {
      request: async (request: KubeRequest) => {
        requests.push(request)
        return { ...pages[requests.length - 1], metadata: requests.length === 1 ? { continue: 'more' } : {} }
      },
    }
    const found = await pinnedServices(client, FORK, new AbortController().signal)
    expect(found.map(({ metadata }) => metadata.name)).to.deep.equal(['pinned', 'large'])
    expect(requests.map(({ query }) => query)).to.deep.equal([
      { limit: 100, continue: undefined },
      { limit: 100, continue: 'more' },
    ])
  })

  it('N29: are found although a hundred Services are too long for one page', async () => {
    const limits: unknown[] = []
    const client = {
      request: async ({ query }: KubeRequest) => {
        limits.push(query?.limit)
        if (limits.length <= 2) throw new KubeError({ kind: 'invalid', message: 'the response is longer' })
        return { items: [aService('pinned', { app: 'cart', [EXPERIMENT_ID]: ID })] }
      },
    }
    const found = await pinnedServices(client, FORK, new AbortController().signal)
    expect(found.map(({ metadata }) => metadata.name)).to.deep.equal(['pinned'])
    expect(limits).to.deep.equal([100, 10, 1])
  })

  it('are named to their people', () => {
    const cart = aService('cart', {})
    expect(orphanMessage([cart], [])).to.contain('so the source gets the requests to service/cart again')
    expect(orphanMessage([], [])).to.equal('its experiment is gone, so the controller deletes this fork now')
  })
})
