import { expect } from 'chai'
import { fill } from '../../controller/cache-sync.ts'
import { turn, VirtualTime } from '../virtual-time.ts'

/** Two things that a test fills, and the result of `fill`. */
function filling(stopping = new AbortController()) {
  const time = new VirtualTime()
  const services = Promise.withResolvers<void>()
  const schemas = Promise.withResolvers<void>()
  const all = [
    { name: 'services', filled: services.promise },
    { name: 'schemas', filled: schemas.promise },
  ]
  const missing = new Set<string>()
  const result = fill(all, { timers: time, stopping: stopping.signal, missing }).catch((error: unknown) => error)
  return { time, services, schemas, stopping, missing, result }
}

describe('fill', () => {
  it('is true when everything is filled, and leaves no timer', async () => {
    const { time, services, schemas, result } = filling()
    services.resolve()
    schemas.resolve()
    expect(await result).to.equal(true)
    expect(time.pending).to.equal(0)
  })

  it('names at any time what is missing', async () => {
    const { services, schemas, missing, result } = filling()
    expect([...missing]).to.deep.equal(['services', 'schemas'])
    services.resolve()
    await turn()
    expect([...missing]).to.deep.equal(['schemas'])
    schemas.resolve()
    await result
    expect(missing.size).to.equal(0)
  })

  it('throws after two minutes and names what is missing', async () => {
    const { time, services, result } = filling()
    services.resolve()
    await time.pass(120_000)
    expect(await result)
      .to.be.instanceOf(Error)
      .with.property(
        'message',
        'not filled within two minutes: schemas; check the permissions, and whether the API server can be reached',
      )
  })

  it('waits for two minutes', async () => {
    const { time, services, schemas, result } = filling()
    await time.pass(119_999)
    services.resolve()
    schemas.resolve()
    expect(await result).to.equal(true)
  })

  it('is false when the controller stops before', async () => {
    const { time, stopping, result } = filling()
    stopping.abort()
    expect(await result).to.equal(false)
    expect(time.pending).to.equal(0)
  })

  it('is false when the controller was stopped before the start', async () => {
    const stopping = new AbortController()
    stopping.abort()
    expect(await filling(stopping).result).to.equal(false)
  })

  it('throws the error of a cache that cannot be filled', async () => {
    const { services, result } = filling()
    const error = new Error('stopped')
    services.reject(error)
    expect(await result).to.equal(error)
  })
})
