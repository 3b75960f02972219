pub struct Builder; pub struct Part;
