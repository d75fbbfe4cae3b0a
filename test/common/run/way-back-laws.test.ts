import { expect } from 'chai'
import fc from 'fast-check'
import { at, type JsonObject, listOr, objectOr } from '../../../common/json/json.ts'
import { LONG } from '../../property.ts'
import { aRun, aRunExperiment, aSource, type RunWorld } from '../plan/some-run.ts'
import { available } from '../plan/some-world.ts'

/** What the promotion changes: the image and a variable of `cart`. */
const CHANGED = { image: 'example/cart:2', env: [{ name: 'MODE', value: 'new' }] }
const OVERRIDE = { template: { spec: { containers: [{ name: 'cart', ...CHANGED }] } } }
const FORMER = [
  { name: 'cart', image: 'example/cart:1', env: [{ name: 'MODE', value: 'old' }] },
  { name: 'proxy', image: 'example/proxy:1' },
]

type Containers = readonly JsonObject[]

/** What somebody does to other fields of the same lists. Each edit can be made at any time, and again. */
const EDITS: Readonly<Record<string, (containers: Containers) => Containers>> = {
  'a variable': ([cart = {}, ...others]) => {
    const env = listOr(cart.env).filter((each) => at(each, 'name') !== 'LEVEL') as Containers
    return [{ ...cart, env: [{ name: 'LEVEL', value: 'debug' }, ...env] }, ...others]
  },
  'the image of another container': ([cart = {}, { image: _former, ...proxy } = {}, ...others]) => [
    cart,
    { ...proxy, image: 'example/proxy:2' },
    ...others,
  ],
  'a limit': ([cart = {}, ...others]) => [{ ...cart, resources: { limits: { cpu: '1' } } }, ...others],
  'an injected container': (containers) => [
    ...containers.filter(({ name }) => name !== 'istio'),
    { name: 'istio', image: 'example/istio:1' },
  ],
}
const someEdits = fc.uniqueArray(fc.constantFrom(...Object.keys(EDITS)), { maxLength: 3 })

const containersIn = ({ world }: RunWorld) =>
  listOr(at(world.source?.spec, 'template', 'spec', 'containers')) as Containers

function edit({ world }: RunWorld, edits: readonly string[], containers: Containers): void {
  const template = { spec: { containers: edits.reduce((list, name) => EDITS[name]?.(list) ?? list, containers) } }
  const source = world.source ?? aSource()
  const generation = (source.metadata.generation ?? 1) + 1
  const spec = { ...objectOr(source.spec), template } as JsonObject
  world.source = available({ ...source, metadata: { ...source.metadata, generation }, spec })
}

describe('the laws of an undo', () => {
  it('N11: whoever edits other fields of the same lists, before it and between its passes, it ends, and the edits stay', () =>
    fc.assert(
      fc.property(someEdits, fc.array(someEdits, { maxLength: 5 }), fc.boolean(), (before, during, isInDrain) => {
        const source = aSource(4, 'any', { strategy: { type: 'Recreate' }, template: { spec: { containers: FORMER } } })
        const promotion = { mode: 'Automatic' } as const
        const experiment = aRunExperiment({
          strategy: undefined,
          overrideType: 'Strategic',
          overrideSpec: OVERRIDE,
          promotion,
        })
        const run = aRun(experiment, { source })
        run.rest()
        if (!isInDrain) run.wait(60)
        run.rest()
        expect(at(containersIn(run)[0], 'image')).to.equal(CHANGED.image)
        edit(run, before, containersIn(run))
        run.rest()
        run.say('undo')
        for (const edits of during) {
          run.pass()
          edit(run, edits, containersIn(run))
        }
        run.rest()
        expect(run.strategy()?.phase).to.equal('Undone')
        const world = { ...run.world }
        const all = [...before, ...during.flat()]
        const expected = aRun(experiment, { source })
        edit(expected, all, FORMER)
        expect(sorted(containersIn({ ...run, world }))).to.deep.equal(sorted(containersIn(expected)))
      }),
      LONG,
    ))
})

/** Regardless of the order of lists, which depends on when an edit was made. */
const sorted = (value: unknown): unknown =>
  Array.isArray(value)
    ? value.map(sorted).toSorted((one, other) => (JSON.stringify(one) < JSON.stringify(other) ? -1 : 1))
    : typeof value === 'object' && value !== null
      ? Object.fromEntries(
          Object.entries(value)
            .map(([key, of]) => [key, sorted(of)] as const)
            .toSorted(([one], [other]) => (one < other ? -1 : 1)),
        )
      : value
