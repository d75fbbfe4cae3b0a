import { expect } from 'chai'
import { envOf, imageOf } from '../../../cli/flags/of-container.ts'
import { messageOf } from '../message-of.ts'

describe('a flag for a container', () => {
  it('is an image, perhaps of a container', () => {
    expect(imageOf('registry.example:5000/cart:2')).to.deep.equal({ image: 'registry.example:5000/cart:2' })
    expect(imageOf('cart=cart:2')).to.deep.equal({ container: 'cart', image: 'cart:2' })
  })

  it('is a variable, perhaps of a container, whose value may have the same characters', () => {
    expect(envOf('A=b=c:d')).to.deep.equal({ name: 'A', value: 'b=c:d' })
    expect(envOf('cart:A=')).to.deep.equal({ container: 'cart', name: 'A', value: '' })
  })

  const wrong: readonly (readonly [act: () => unknown, message: string])[] = [
    [() => imageOf('=cart:2'), '--image =cart:2: no container before "="'],
    [() => imageOf('cart='), '--image cart=: "" is no image after "="'],
    [() => imageOf('Cart:2'), '--image Cart:2: "Cart:2" is no image after the flag'],
    [() => envOf('X'), '--env X: no "=" after "X"'],
    [() => envOf(':A=1'), '--env :A=: no container before ":"'],
    [() => envOf('cart:=1'), '--env cart:=: no name before "="'],
  ]
  for (const [act, message] of wrong)
    it(`is refused with its place: ${message}`, () => expect(messageOf(act)).to.equal(message))
})
