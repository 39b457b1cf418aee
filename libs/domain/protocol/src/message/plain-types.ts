import { z } from 'zod';
import { anyObject } from './shapes.js';

/*
 * Types of members that only sellers read. A wrong type is invalid in every release, so no seller is queried. The
 * contents of lists and objects are left to the seller.
 */

const text = z.string().max(20_000).optional();
const list = z.array(z.unknown()).max(10_000).optional();
const object = anyObject.optional();
const flag = z.boolean().optional();
const number = z.number().optional();

type Named<Name extends string, Type> = Readonly<Record<Name, Type>>;

function named<Name extends string, Type>(type: Type, names: readonly Name[]): Named<Name, Type> {
  return Object.fromEntries(names.map((name) => [name, type])) as Named<Name, Type>;
}

export const texts = <Name extends string>(...names: readonly Name[]) => named(text, names);
export const lists = <Name extends string>(...names: readonly Name[]) => named(list, names);
export const objects = <Name extends string>(...names: readonly Name[]) => named(object, names);
export const flags = <Name extends string>(...names: readonly Name[]) => named(flag, names);
export const numbers = <Name extends string>(...names: readonly Name[]) => named(number, names);
