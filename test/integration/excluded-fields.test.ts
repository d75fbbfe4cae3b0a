import { expect } from 'chai'
import { at, listOr } from '../../common/json/json.ts'
import { eventually } from '../../sandbox/eventually.ts'
import { ownWrites } from '../../sandbox/proof.ts'
import { controlPlane } from './fixture.ts'
import { DEADLINE_MS, forkOf, usesProduct } from './product.ts'

describe('a fork in which somebody sets what excludes fields of the controller, on the real control plane', () => {
  const place = usesProduct()

  it('is put back, and can lose these fields later', async () => {
    const labels = { app: 'exclusive' }
    const valueFrom = { secretKeyRef: { name: 'db', key: 'url', optional: true } }
    const livenessProbe = { httpGet: { path: '/health', port: 80 } }
    const container = {
      name: 'cart',
      image: 'registry.example/cart:1',
      env: [{ name: 'DB_URL', valueFrom }],
      livenessProbe,
    }
    const volumes = [{ name: 'data', configMap: { name: 'data', optional: true } }]
    await place().api.create(place().path('deployments'), {
      metadata: { name: 'exclusive' },
      spec: {
        selector: { matchLabels: labels },
        strategy: { type: 'Recreate' },
        template: { metadata: { labels }, spec: { containers: [container], volumes } },
      },
    })
    await place().experiment('excluding', { source: 'exclusive' })
    const name = forkOf(await place().reaches('excluding', 'Available'))
    const before = await place().deployment(name)
    const pod = '/spec/template/spec'
    const changes: Record<string, readonly string[]> = {
      'env value': ['set', 'env', `deployment/${name}`, 'DB_URL=mine'],
      ...Object.fromEntries(
        [
          { path: `${pod}/volumes/0`, value: { name: 'data', emptyDir: {} } },
          { path: `${pod}/containers/0/livenessProbe`, value: { exec: { command: ['true'] } } },
          { path: '/spec/strategy', value: { type: 'RollingUpdate', rollingUpdate: { maxSurge: 1 } } },
        ].map((patch) => {
          const of = JSON.stringify([{ op: 'replace', ...patch }])
          return [patch.path, ['patch', `deployment/${name}`, '--type=json', '-p', of]]
        }),
      ),
    }
    for (const [what, args] of Object.entries(changes)) {
      const { code, text } = await place().kubectl(args)
      expect(code, text).to.equal(0)
      await eventually(`${what} to be put back`, DEADLINE_MS, async () =>
        expect((await place().deployment(name)).spec).to.deep.equal(before.spec),
      )
    }
    await place().reaches('excluding', 'Available')
    const bare = { name: 'cart', image: container.image }
    const overrideSpec = { template: { spec: { containers: [bare] } } }
    await place().api.patch(place().path('experiments', 'excluding'), { spec: { overrideSpec } })
    await eventually('what the override leaves out to be removed', DEADLINE_MS, async () => {
      const [found] = listOr(at(await place().deployment(name), 'spec', 'template', 'spec', 'containers'))
      expect(found).to.include(bare).and.not.to.have.any.keys('env', 'livenessProbe')
    })
    const { all, forbidden } = await ownWrites((await controlPlane()).auditLog)
    expect(forbidden).to.deep.equal([])
    const writes = all.filter((request) => request.endsWith(`/${name}`))
    expect(writes.length, 'four for each change; a conflict repeats some').to.be.at.most(36)
  })
})
