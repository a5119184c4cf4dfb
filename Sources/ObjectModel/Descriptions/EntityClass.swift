/// A class that represents the objects of an entity. The base class of all objects conforms.
///
/// The protocol keeps descriptions independent of the object runtime, which is built on them.
package protocol EntityClass: AnyObject, SendableMetatype {}
