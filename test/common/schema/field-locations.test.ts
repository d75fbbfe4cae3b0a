import { expect } from 'chai'
import { fieldLocations } from '../../../common/schema/field-locations.ts'
import { transform } from '../../../common/schema/transform.ts'

const text = { type: 'string' }
const object = (properties: object) => ({ type: 'object', properties })
const list = (items: object) => ({ type: 'array', items })
const ROOT = object({
  paused: text,
  selector: object({ matchLabels: text }),
  template: object({
    name: text,
    spec: object({
      containers: list(object({ image: text, name: text, lifecycle: object({ preStop: object({ sleep: text }) }) })),
      hostNetwork: text,
    }),
  }),
})

const locations = (refused: string = '-') =>
  fieldLocations(transform({}, ROOT), 'Merge', (path) => (path.join('.') === refused ? 'banned' : undefined))

describe('fieldLocations', () => {
  it('maps fields to the paths of their parents, with [] for the items of a list', () => {
    const found = locations()
    expect(found.get('paused')).to.equal('')
    expect(found.get('hostNetwork')).to.equal('template.spec')
    expect(found.get('image')).to.equal('template.spec.containers[]')
  })

  it('prefers the place that is nearest to the root', () => expect(locations().get('name')).to.equal('template'))

  it('goes three levels deep', () => {
    expect(locations().get('lifecycle')).to.equal('template.spec.containers[]')
    expect(locations().has('preStop')).to.equal(false)
  })

  it('leaves out what is banned, and everything below it', () => {
    expect(locations().get('matchLabels')).to.equal('selector')
    const found = locations('selector')
    expect([found.has('selector'), found.has('matchLabels')]).to.deep.equal([false, false])
  })
})
